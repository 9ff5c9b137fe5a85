"""Values with NULs in every place, and arrays of them in every layout."""

import numpy as np
from hypothesis import strategies as st

# Few characters, so that NULs stand at every place of a value; of every UTF-8 width and its edges.
TEXT = st.text(st.sampled_from("a\0é\x7f\x80߿ࠀ\ud7ff\ue000￿𐀀\U0010ffff\ufeff"), max_size=5)
BYTES = st.binary(max_size=3) | st.lists(st.sampled_from([b"a", b"\0", b"\xff"]), max_size=4).map(b"".join)
LAYOUTS = st.tuples(st.sampled_from([1, 2, 3, -1, -2]), st.sampled_from("<>"), st.booleans())


def laid_out(array, layout):
    """Give the same values another stride, byte order and read-only state."""
    step, byte_order, read_only = layout
    spread = np.zeros(max(len(array) * abs(step), 1), array.dtype)
    view = spread[:: abs(step)][: len(array)][:: 1 if step > 0 else -1]
    view[...] = array
    if view.dtype.kind in "US":
        view = view.astype(view.dtype.newbyteorder(byte_order), copy=view.dtype.kind == "U" and byte_order == ">")
    view.flags.writeable = not read_only
    return view
