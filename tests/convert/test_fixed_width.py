"""What NumPy's U and S need beyond the values themselves: masks, fills, memory, and columns that change meanwhile."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colcodec.convert import fixed_width
from colcodec.convert.numpy import from_numpy, to_numpy
from colcodec.convert.objects import from_list
from colcodec.errors import InvalidColumnError
from colcodec.string_column import StringColumn

TEXTS = st.text(st.sampled_from("ab\0é€🪓"), max_size=20).map(lambda value: value.rstrip("\0"))


@given(st.lists(TEXTS | st.none(), max_size=30), st.sampled_from(["", "é", "x" * 30]))
def test_nulls_of_masked_arrays_and_fills(values, fill):
    """A null goes in as a mask and out as a fill, which may be wider than every value."""
    filled = [fill if value is None else value for value in values]
    for kind, expected in (("U", filled), ("S", [value.encode() for value in filled])):
        array = to_numpy(from_list(values), kind, fill if kind == "U" else fill.encode())
        assert array.tolist() == expected
        assert array.dtype == np.array(expected, kind).dtype
        column = from_numpy(np.ma.MaskedArray(array, [value is None for value in values]))
        bare = [None if value is None else bare for value, bare in zip(values, expected, strict=True)]
        assert column.to_pylist() == bare
        assert to_numpy(column, kind, expected[0] if expected else None).tolist() == [
            expected[0] if value is None else value for value in bare
        ]


@given(st.lists(TEXTS, min_size=1, max_size=9), st.slices(9), st.booleans())
def test_slices_go_out(values, part, with_null):
    """Whatever part of the data they have, with a null that has bytes beneath it."""
    column = from_list([*values, "no value"])
    validity = [True] * len(values) + [not with_null]
    column = StringColumn(column.offsets, column.data, validity)[part]
    expected = ["" if value is None else value for value in column.to_pylist()]
    assert to_numpy(column, "U", "").tolist() == expected
    assert to_numpy(column, "S", "").tolist() == [value.encode() for value in expected]


def test_many_values():
    """So many that every way is taken, and some of them more than once."""
    values = ["".join(chr(0x61 + (i * k) % 900) for k in range(i % 31)) for i in range(5000)]
    column = from_list(values)
    assert from_numpy(np.array(values)) == column
    assert to_numpy(column, "U", None).tolist() == values
    assert to_numpy(column, "S", None).tolist() == [value.encode() for value in values]
    assert from_numpy(to_numpy(column, "S", None)).data.tobytes() == column.data.tobytes()


@pytest.mark.parametrize("kind", "US")
def test_a_column_keeps_no_more_memory_than_its_values(kind):
    """What was made for the longest possible values is given back."""
    column = from_numpy(np.array(["a", "b" * 1000] + ["c"] * 98, kind))
    assert column.data.size == 1099
    assert column.data.base.nbytes == 1099


@pytest.mark.parametrize("kind", "US")
def test_numpy_s_own_limits_are_numpy_s_errors(kind, monkeypatch):
    """One value that is longer than any array can be wide."""
    monkeypatch.setattr(fixed_width, "most_points" if kind == "U" else "most_bytes", lambda *_: 2**31)
    with pytest.raises((MemoryError, TypeError, ValueError)):
        to_numpy(from_list(["a"]), kind, None)


@pytest.mark.parametrize(("kind", "kernel"), [("U", "most_points"), ("S", "most_bytes")])
def test_a_column_that_changes_meanwhile(monkeypatch, kind, kernel):
    """What another thread does between the passes is an error, with the index."""
    monkeypatch.setattr(fixed_width, kernel, lambda *_: 2)
    with pytest.raises(InvalidColumnError, match="value 1 changed during the call") as caught:
        to_numpy(from_list(["ab", "abc", "a"]), kind, None)
    assert caught.value.index == 1


def test_an_array_that_changes_meanwhile(monkeypatch):
    """What was no text when it was read, and is when it is to be shown."""
    monkeypatch.setattr(fixed_width, "encode_text", lambda *_: 1)
    with pytest.raises(InvalidColumnError, match="value 1 changed during the call") as caught:
        from_numpy(np.array(["ab", "abc", "a"]))
    assert caught.value.index == 1


@pytest.mark.parametrize("kind", "US")
def test_a_column_whose_arrays_have_been_written_to(kind):
    """Offsets that leave the data are seen before anything is read."""
    offsets = np.array([0, 1, 2])
    column = StringColumn._trusted(offsets, np.frombuffer(b"ab", np.uint8))
    offsets[1] = 1 << 40
    with pytest.raises(InvalidColumnError):
        to_numpy(column, kind, None)


class Labels(np.ndarray):
    """What will not be seen as numbers, as NumPy's own chararray."""

    def __array_finalize__(self, base):
        if self.dtype.kind not in "SU":
            raise TypeError("no labels")


@pytest.mark.parametrize("kind", "US")
def test_subclasses_of_arrays(kind):
    """They are arrays."""
    assert from_numpy(np.array(["a", "bc"], kind).view(Labels)) == from_numpy(np.array(["a", "bc"], kind))


def test_arrays_over_memory_that_is_not_aligned():
    """As it comes from the middle of a file."""
    array = np.frombuffer(b"." + np.array(["é", "bc"]).tobytes(), "U2", offset=1)
    assert not array.flags.aligned
    assert from_numpy(array).to_pylist() == ["é", "bc"]


@pytest.mark.parametrize("shape", [(2, 3), (1, 1), ()])
@pytest.mark.parametrize("kind", "US")
def test_other_dimensions_are_refused(kind, shape):
    """The message has what would make a row of them."""
    with pytest.raises(InvalidColumnError, match=rf"got an array of {len(shape)} dimensions; expected 1 .*ravel"):
        from_numpy(np.zeros(shape, f"{kind}3"))
    assert len(from_numpy(np.zeros(shape, f"{kind}3").ravel())) == np.zeros(shape).size
