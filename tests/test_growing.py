"""Growing arrays: what has been written stays, and room comes in few steps."""

import numpy as np

from colcodec._growing import FIRST_SIZE, Growing


def test_elements_stay_while_room_is_made():
    """Whatever is asked for, in any steps."""
    growing = Growing(np.uint32)
    arrays = set()
    for i in range(10 * FIRST_SIZE):
        growing.room(1)[growing.size] = i
        growing.size += 1
        arrays.add(id(growing._array))
    assert growing.written.tolist() == [*range(10 * FIRST_SIZE)]
    assert len(arrays) <= 5
    assert growing.room(10**6).size == growing.size + 10**6
    assert growing.written.tolist() == [*range(10 * FIRST_SIZE)]


def test_memory_is_used_again():
    """Setting the size back leaves the room."""
    growing = Growing(np.uint8)
    array = growing.room(5000)
    growing.size = 0
    assert growing.room(5000) is array
    assert growing.written.size == 0
