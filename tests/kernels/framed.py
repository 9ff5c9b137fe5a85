"""Arrays as kernels get them: inputs read-only and no longer than need be, outputs with all around them watched."""

from contextlib import contextmanager
from itertools import pairwise

import naive
import numpy as np

import colcodec as cc

MARGIN = 72  # elements watched on either side: more than any kernel may touch behind its array
PATTERN = 0xA5
STATUS = {status.value: status.name for status in cc.Status}


def frozen(values, dtype=np.uint8, shift=0):
    """Make a read-only array of these values and no others, `shift` elements behind an aligned address."""
    values = np.frombuffer(values, np.uint8) if isinstance(values, bytes) else np.array(values, dtype)
    array = np.concatenate([np.full(shift, PATTERN, dtype), values.astype(dtype)])[shift:]
    array.flags.writeable = False
    return array


@contextmanager
def framed(size, dtype=np.uint8, shift=0):
    """Give an array full of PATTERN in the middle of a larger one, and check that nothing around it is written."""
    start = MARGIN + shift
    whole = np.full(start + size + MARGIN, PATTERN, dtype)
    yield whole[start : start + size]
    assert (whole[:start] == PATTERN).all(), "written before the array"
    assert (whole[start + size :] == PATTERN).all(), "written behind the array"


def outcome(function, *args):
    """Call a function of naive; give its result and None, or None and its error."""
    try:
        return function(*args), None
    except naive.MalformedError as error:
        return None, error


def untouched(out):
    """Tell whether an array, or a part of one, still holds what `framed` put there."""
    return bool((out == PATTERN).all())


def as_column(values, shift=0):
    """Give offsets, from `shift` on, and data of byte strings, as kernels get them."""
    offsets = np.cumsum([shift, *map(len, values)])
    return frozen(offsets, np.int64), frozen(bytes(shift) + b"".join(values))


def as_values(offsets, data):
    """List the byte strings of offsets and data."""
    return [data[i:j].tobytes() for i, j in pairwise(offsets.tolist())]
