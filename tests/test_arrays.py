"""Memory of large arrays: where they begin, and that it is used again only once nothing looks at it."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from colcodec import _arrays
from colcodec._arrays import HUGE_PAGE, KEPT, LARGE, SPARE, empty, release


@pytest.fixture(autouse=True)
def nothing_kept():
    release()
    yield
    release()


def kept():
    return sum(block.size for block in _arrays._kept)


@pytest.mark.parametrize("dtype", ["u1", "i2", "i8", "U3"])
@pytest.mark.parametrize("nbytes", [0, LARGE - 16, LARGE, LARGE + 32])
@pytest.mark.parametrize("offset", [0, 64, HUGE_PAGE - 8])
def test_arrays_are_those_that_were_asked_for(dtype, nbytes, offset):
    size = nbytes // np.dtype(dtype).itemsize
    array = empty(size, dtype, offset)
    assert (array.dtype, array.shape) == (np.dtype(dtype), (size,))
    assert array.flags.writeable
    assert array.flags.aligned
    if array.nbytes >= LARGE:
        assert array.ctypes.data % HUGE_PAGE == offset


def test_memory_is_used_again_when_its_array_is_gone():
    array = empty(4 * LARGE, np.uint8)
    address = array.ctypes.data
    del array
    assert kept() == 4 * LARGE + SPARE
    again = empty(LARGE, np.int32)
    assert again.ctypes.data == address
    assert kept() == 0


@pytest.mark.parametrize("look", [memoryview, lambda array: array[7:9], lambda array: array.view("i4")[::5]])
def test_memory_that_something_looks_at_is_not(look):
    array = empty(4 * LARGE, np.uint8)
    seen = look(array)
    del array
    assert kept() == 0
    other = empty(4 * LARGE, np.uint8)
    assert not np.shares_memory(np.asarray(seen), other)
    del seen
    assert kept() == 4 * LARGE + SPARE


def test_the_block_that_fits_best():
    arrays = [empty(n * LARGE, np.uint8) for n in (60, 9, 8)]
    addresses = [array.ctypes.data for array in arrays]
    arrays.clear()
    assert empty(8 * LARGE, np.uint8).ctypes.data == addresses[2]
    array = empty(9 * LARGE, np.uint8)
    assert array.ctypes.data == addresses[1]
    assert empty(16 * LARGE, np.uint8).ctypes.data != addresses[0]  # it would take more than three times what it needs


def test_no_more_is_kept_than_said():
    empty(KEPT, np.uint8)
    assert kept() == 0
    half = KEPT // 2 - SPARE
    first, second, third = (empty(half, np.uint8) for _ in range(3))
    address = first.ctypes.data
    del first
    del second, third
    assert kept() == KEPT
    assert address not in [empty(half, np.uint8).ctypes.data for _ in range(2)]


def test_threads():
    """No two have the same memory at once."""

    def work(number):
        for i in range(200):
            array = empty(LARGE + i * 64, np.uint8)
            array[::4096] = number
            assert (array[::4096] == number).all()
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    assert kept() <= KEPT


def test_an_array_that_goes_while_another_is_made():
    array = empty(LARGE, np.uint8)
    with _arrays._lock:  # as where the garbage is collected meanwhile
        del array
    assert kept() == 0
