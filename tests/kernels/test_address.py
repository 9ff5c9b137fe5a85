"""Memory by its address: what is read and written, and that nothing beside it is."""

import numba
import numpy as np
import pytest
from framed import framed, frozen
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels import address
from colcodec._kernels.address import COPY_CALL, copy_from

compiled = numba.njit(cache=True, error_model="numpy", _nrt=False)


@compiled
def load_i64_at(place):
    return address.load_i64_at(place)


@compiled
def store_i64_at(place, value):
    address.store_i64_at(place, value)


@compiled
def address_of(array, index):
    return address.address_of(array, index)


@pytest.mark.parametrize("offset", range(9))
def test_numbers_at_any_alignment(offset):
    """A number is 8 bytes, wherever they are."""
    memory = np.zeros(24, np.uint8)
    store_i64_at(memory.ctypes.data + offset, -2)
    assert memory.tolist() == [0] * offset + [0xFE] + [0xFF] * 7 + [0] * (16 - offset)
    assert load_i64_at(memory.ctypes.data + offset) == -2


def test_addresses_of_elements():
    """Of the first, of others, and of the end."""
    array = frozen(bytes(5))
    assert [address_of(array, i) - array.ctypes.data for i in (0, 3, 5)] == [0, 3, 5]


@pytest.mark.parametrize("size", [*range(70), COPY_CALL - 1, COPY_CALL, COPY_CALL + 1, 4099])
@given(before=st.integers(0, 33), shift=st.integers(0, 33))
def test_copies_touch_what_they_copy_and_nothing_else(size, before, shift):
    """Of every size, at every alignment, into arrays that end where the copy does."""
    source = np.random.default_rng(size).integers(0, 256, before + size, np.uint8)
    with framed(size, shift=shift) as out:
        copy_from(source.ctypes.data + before, size, out, 0)
        assert out.tolist() == source[before:].tolist()
