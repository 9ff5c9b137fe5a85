"""Validity bitmaps, least significant bit first: bit set, value present. Nulls leave a column here, and come back."""

import numpy as np

from ._jit import kernel
from .memory import copy_bytes, count_ones, load_u64


@kernel
def is_valid(validity, index):
    """Tell as 1 or 0 whether value `index` is present in `validity`, uint8[(n + 7) // 8]."""
    return np.int64((validity[index >> 3] >> (index & 7)) & 1)


@kernel
def count_valid(validity, num_values):
    """Count the values present among the first `num_values` of `validity`, uint8[(num_values + 7) // 8]."""
    count = np.int64(0)
    words = num_values >> 6
    for i in range(words):
        count += count_ones(load_u64(validity, 8 * i))
    for i in range(64 * words, num_values):
        count += is_valid(validity, i)
    return count


@kernel
def drop_null_offsets(offsets, validity, dense):
    """Write offsets, from 0 on, of the values of `offsets`, int64[n + 1], that are present into `dense`.

    `dense` is int64 with one element more than there are values present. Returns their bytes.
    """
    total = np.int64(0)
    count = np.int64(0)
    dense[0] = 0
    for i in range(offsets.size - 1):
        present = is_valid(validity, i)  # no branch: nulls come in no order that a processor could foresee
        total += present * (offsets[i + 1] - offsets[i])
        count += present
        dense[count] = total
    return total


@kernel
def drop_null_data(offsets, data, validity, out):
    """Write the bytes of the values of `offsets`, int64[n + 1], and `data` that are present, end to end, into `out`."""
    pos = np.int64(0)
    for i in range(offsets.size - 1):
        if is_valid(validity, i):
            size = offsets[i + 1] - offsets[i]
            copy_bytes(data, offsets[i], out, pos, size)
            pos += size


@kernel
def spread_offsets(dense, validity, offsets):
    """Spread `dense`, the offsets of the values present, over ``offsets[1:]``, int64[n + 1]; nulls become empty.

    `dense`, from 0 on, is int64 with one element more than `validity` has values present among its first n.
    """
    source = np.int64(0)
    for i in range(offsets.size - 1):
        source += is_valid(validity, i)
        offsets[i + 1] = dense[source]
