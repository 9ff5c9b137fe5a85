"""Arrow arrays to `StringColumn` and back, by the Arrow PyCapsule interface; nanoarrow knows its C structures."""

import re
from typing import TYPE_CHECKING, Any, Final

import nanoarrow as na
import numpy as np
import numpy.typing as npt
from nanoarrow.c_array import CArray
from nanoarrow.c_array_stream import CArrayStream, c_array_stream
from nanoarrow.c_schema import CSchema, c_schema, c_schema_view

from .._arrays import empty
from .._checks import max_length_bits, read_only
from .._kernels.byte_array import fill_offsets
from .._kernels.utf8 import find_invalid
from .._kernels.validity import spread_offsets
from .._kernels.views import MAX_INLINE, VIEW_SIZE, copy_views, find_view_offsets
from .._spec import MAX_INT32
from ..dictionary_column import DictionaryColumn
from ..errors import InvalidColumnError, InvalidTypeError
from ..string_column import Bytes, Offsets, StringColumn
from .indices import from_indices, own_indices

if TYPE_CHECKING:
    import pyarrow as pa

# Types have these names in the C data interface; what they are made with stands behind a colon.
_TEXT: Final = ("u", "U", "vu", "n")
_BYTES: Final = ("z", "Z", "vz", "w")
_NUM_BUFFERS: Final = {"n": 0, "+s": 1, "w": 2}  # of strings 3, and of views at least
_MOST_VALUES: Final = 1 << 56  # whatever a producer says: places of so many 16-byte views fit an int64
_NOTHING: Final = read_only(np.empty(0, np.uint8))
_INDEX_DTYPES: Final = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8"}


def from_arrow(values: Any) -> StringColumn:
    """Make a column of Arrow data of any library.

    Parameters
    ----------
    values : object
        What has ``__arrow_c_stream__`` or ``__arrow_c_array__`` and is of the Arrow type string, binary, large_string,
        large_binary, string_view, binary_view, fixed_size_binary, a dictionary of these, or null. An extension type is
        taken for what it is stored as.

    Returns
    -------
    StringColumn
        utf8 for strings and for the null type, binary for the others. One array of large_string or large_binary is not
        copied, and neither are the bytes of one array of string, binary or fixed_size_binary.

    Raises
    ------
    InvalidTypeError
        Data of another Arrow type.
    InvalidColumnError
        Views that lie outside of their buffers, indices that lie outside of their dictionary, missing buffers, or an
        array that no such type has. How large buffers are Arrow does not tell, so that has to be true.

    Examples
    --------
    >>> import nanoarrow as na
    >>> from_arrow(na.Array(["axis", None, "axle"], na.string()))
    StringColumn(utf8, 3 values, 1 null: ['axis', None, 'axle'])
    """
    if not hasattr(values, "__arrow_c_stream__"):
        array = na.c_array(values)
        return _from_array(array, _is_text(array.schema))
    stream = c_array_stream(values)
    utf8 = _is_text(stream.get_schema())
    columns: list[StringColumn] = []
    num_values = 0
    for array in stream:
        if array.length:
            columns.append(_from_array(array, utf8, num_values))
            num_values += array.length
    return columns[0] if len(columns) == 1 else _concatenate(columns, utf8)


def struct_columns(values: Any) -> tuple[list[str], list[CArrayStream]]:
    """Take Arrow structs apart, as every library gives its dataframes.

    Parameters
    ----------
    values : object
        What has ``__arrow_c_stream__`` or ``__arrow_c_array__`` and is of the Arrow type struct.

    Returns
    -------
    tuple of list
        The names of the fields, and for each field its values, as `from_arrow` takes them.

    Raises
    ------
    InvalidTypeError
        Data of another Arrow type.
    InvalidColumnError
        A struct that is null, or fields that have fewer values than there are structs.
    """
    stream = c_array_stream(values)
    schema = stream.get_schema()
    if schema.format != "+s":
        raise InvalidTypeError(f"got Arrow data of type {c_schema_view(schema).type}; expected struct, a dataframe")
    batches = list(stream)
    fields = list(schema.children)
    for batch in batches:
        _check_structure(batch, "+s")
        end = batch.offset + batch.length
        if batch.n_children != len(fields) or any(batch.child(i).length < end for i in range(len(fields))):
            raise InvalidColumnError(f"got {end} Arrow structs; expected {len(fields)} fields of as many values")
    if not all(_is_valid(batch).all() for batch in batches):
        raise InvalidColumnError("got structs that are null; expected a dataframe, where only values are")
    # A slice of structs does not slice their children.
    parts = [[batch.child(i)[batch.offset :][: batch.length] for batch in batches] for i in range(len(fields))]
    streams = [CArrayStream.from_c_arrays(*of_field) for of_field in zip(parts, fields, strict=True)]
    return [field.name for field in fields], streams


def to_schema(column: StringColumn) -> object:
    """Give the Arrow type of a column; see `StringColumn.__arrow_c_schema__`.

    Parameters
    ----------
    column : StringColumn
        The values.

    Returns
    -------
    PyCapsule
        An ArrowSchema: large_string or large_binary.
    """
    return _schema_of(column.utf8).__arrow_c_schema__()


def to_array(column: StringColumn, requested_schema: object = None) -> tuple[object, object]:
    """Make an Arrow array; see `StringColumn.__arrow_c_array__`.

    Parameters
    ----------
    column : StringColumn
        The values.
    requested_schema : PyCapsule, optional
        An ArrowSchema of the type that the caller would like best.

    Returns
    -------
    tuple of PyCapsule
        An ArrowSchema and an ArrowArray.

    Raises
    ------
    InvalidTypeError
        The requested type is none of strings or bytes.
    InvalidColumnError
        Text that is not valid UTF-8, with its index; or arrays that do not fit each other any more.
    """
    schema, array = _make_array(column, requested_schema).__arrow_c_array__()
    return schema, array


def to_stream(column: StringColumn, requested_schema: object = None) -> object:
    """Make a stream of one Arrow array; see `StringColumn.__arrow_c_stream__`.

    Parameters
    ----------
    column : StringColumn
        The values.
    requested_schema : PyCapsule, optional
        An ArrowSchema of the type that the caller would like best.

    Returns
    -------
    PyCapsule
        An ArrowArrayStream.

    Raises
    ------
    InvalidTypeError, InvalidColumnError
        As `to_array` does.
    """
    array = _make_array(column, requested_schema)
    return CArrayStream.from_c_arrays([array], array.schema, move=True, validate=False).__arrow_c_stream__()


def to_dictionary_array(column: DictionaryColumn) -> "pa.DictionaryArray":
    """Make a dictionary array; see `DictionaryColumn.to_arrow`.

    Parameters
    ----------
    column : DictionaryColumn
        The values.

    Returns
    -------
    pyarrow.DictionaryArray
        Of large_string or large_binary, with int32 indices.
    """
    import pyarrow as pa  # noqa: PLC0415 - not needed to import colcodec

    own, is_valid = own_indices(*column)
    indices = pa.array(own.astype(np.int32), mask=None if is_valid.all() else ~is_valid)
    return pa.DictionaryArray.from_arrays(indices, pa.array(column.dictionary))


def to_pyarrow(column: StringColumn, kind: "pa.DataType | None" = None) -> "pa.Array":
    """Make an array of pyarrow.

    Parameters
    ----------
    column : StringColumn
        The values.
    kind : pyarrow.DataType, optional
        A type that `from_arrow` takes; large_string or large_binary without it.

    Returns
    -------
    pyarrow.Array
        The values; a dictionary is made anew.
    """
    import pyarrow as pa  # noqa: PLC0415 - not needed to import colcodec

    array = pa.array(column)
    if kind is None or kind == array.type:
        return array
    return pa.nulls(len(array)) if kind == pa.null() else array.cast(kind)


# ------------------------------------------------------------------------------------------ the way in


def _is_text(schema: CSchema) -> bool:
    """Tell whether the values of an Arrow type are text or bytes, and refuse all others."""
    if schema.dictionary is not None:
        return _is_text(schema.dictionary)
    name = schema.format.partition(":")[0]
    if name in _TEXT or name in _BYTES:
        return name in _TEXT
    found = c_schema_view(schema).type
    hint = " (choose a column, or see cc.encode_frame)" if found == "struct" else ""
    expected = "string, binary, large_string, large_binary, string_view, binary_view, fixed_size_binary or dictionary"
    raise InvalidTypeError(f"got Arrow data of type {found}{hint}; expected {expected}")


def _from_array(array: CArray, utf8: bool, first_index: int = 0) -> StringColumn:
    """Make a column of an array, whose first value has that index for the caller."""
    start, length = array.offset, array.length
    if length == 0:  # its buffers may be missing, or empty
        return StringColumn([0], b"", utf8=utf8)
    kind, _, parameter = array.schema.format.partition(":")
    _check_structure(array, kind)
    if kind == "n":
        none_valid = np.zeros((length + 7) // 8, np.uint8)
        return StringColumn._trusted(np.zeros(length + 1, np.int64), _NOTHING, none_valid, utf8=utf8)
    if array.schema.dictionary is not None:
        return _from_dictionary(array, utf8, first_index)
    if kind == "w":
        size = _fixed_size(parameter)
        offsets = np.zeros(length + 1, np.int64)
        fill_offsets(size, offsets)
        data = _buffer_of(array, 1, np.uint8, size * start, size * length)
    elif kind in ("vu", "vz"):
        offsets, data = _from_views(array, first_index)
    else:
        dtype = np.int32 if kind in ("u", "z") else np.int64
        offsets = _buffer_of(array, 1, dtype, start, length + 1).astype(np.int64, copy=False)
        data = _buffer_of(array, 2, np.uint8, 0, int(offsets[-1]))
    bitmap, bit_offset = _validity_of(array)
    return StringColumn._trusted(offsets, data, bitmap, utf8=utf8, bit_offset=bit_offset)


def _check_structure(array: CArray, kind: str) -> None:
    """Check what would lead out of the structures that a producer hands over."""
    if not 0 <= array.length <= _MOST_VALUES or not 0 <= array.offset <= _MOST_VALUES:
        found = f"of length {array.length} from value {array.offset} on"
        raise InvalidColumnError(f"got an Arrow array {found}; expected at most {_MOST_VALUES} values")
    expected = _NUM_BUFFERS.get(kind, 3)
    if array.schema.dictionary is not None:
        expected = 2
        if kind not in _INDEX_DTYPES:
            raise InvalidTypeError(f"got an Arrow dictionary with indices of the format {kind!r}; expected integers")
        if array.dictionary is None:
            raise InvalidColumnError("got indices of an Arrow dictionary without the dictionary")
    if array.n_buffers < expected:
        raise InvalidColumnError(f"got an Arrow array of {array.n_buffers} buffers; expected {expected}")


def _fixed_size(parameter: str) -> int:
    """Read how many bytes a value of fixed_size_binary has."""
    if not re.fullmatch(r"[0-9]{1,10}", parameter) or int(parameter) > MAX_INT32:
        raise InvalidTypeError(f"got Arrow data of type fixed_size_binary of {parameter!r} bytes; expected a number")
    return int(parameter)


class _Memory:
    """Memory of an Arrow array, which is kept alive by every array that NumPy makes of this."""

    def __init__(self, owner: CArray, address: int, dtype: npt.DTypeLike, size: int) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, True),  # read-only
            "typestr": np.dtype(dtype).str,
            "shape": (size,),
        }


def _buffer_of(array: CArray, number: int, dtype: npt.DTypeLike, start: int, size: int) -> npt.NDArray[Any]:
    """View elements of a buffer, which the producer warrants to be there."""
    if size == 0:
        return _NOTHING.view(dtype)
    address = array.buffers[number]
    if address == 0 or size < 0:
        raise InvalidColumnError(f"buffer {number} of an Arrow array is missing; expected {size} elements")
    view = np.asarray(_Memory(array, address + start * np.dtype(dtype).itemsize, dtype, size))
    return read_only(np.require(view, requirements="A"))  # Arrow recommends alignment, and kernels rely on it


def _validity_of(array: CArray) -> tuple[Bytes | None, int]:
    """Give the bitmap, None where nothing is null, and the bit of the first value."""
    if array.buffers[0] == 0:
        return None, 0
    first, last = array.offset >> 3, array.offset + array.length + 7 >> 3
    return _buffer_of(array, 0, np.uint8, first, last - first), array.offset & 7


def _is_valid(array: CArray) -> npt.NDArray[np.bool_]:
    """bool[length]: False where a value is null."""
    bitmap, bit_offset = _validity_of(array)
    if bitmap is None:
        return np.ones(array.length, np.bool_)
    return np.unpackbits(bitmap, count=bit_offset + array.length, bitorder="little")[bit_offset:].view(np.bool_)


def _from_views(array: CArray, first_index: int) -> tuple[Offsets, Bytes]:
    """Copy the values of views together."""
    views = _buffer_of(array, 1, np.uint8, VIEW_SIZE * array.offset, VIEW_SIZE * array.length)
    addresses = read_only(np.array(array.buffers[2:-1], np.int64))
    sizes = _buffer_of(array, array.n_buffers - 1, np.int64, 0, addresses.size)
    sizes = read_only(np.where(addresses == 0, 0, sizes))  # in a buffer that is missing lies nothing
    bitmap, bit_offset = _validity_of(array)
    offsets = np.zeros(array.length + 1, np.int64)
    longest = min(int(sizes.max(initial=MAX_INLINE)), MAX_INT32)
    if find_view_offsets(views, _NOTHING if bitmap is None else bitmap, bit_offset, longest, offsets) < 0:
        lengths = np.diff(offsets)
        raise _view_error(views, int(np.argmax((lengths < 0) | (lengths > longest))), first_index)
    data = empty(offsets[-1], np.uint8)
    index = copy_views(views, read_only(offsets), addresses, sizes, data)
    if index >= 0:
        raise _view_error(views, index, first_index)
    return offsets, data


def _view_error(views: Bytes, index: int, first_index: int) -> InvalidColumnError:
    length, _, number, place = views[VIEW_SIZE * index : VIEW_SIZE * (index + 1)].view(np.int32).tolist()
    index += first_index
    found = f"value {index} has a view of {length} bytes from byte {place} of buffer {number}"
    return InvalidColumnError(f"{found}; expected one that lies within a buffer", index=index)


def _from_dictionary(array: CArray, utf8: bool, first_index: int) -> StringColumn:
    """Copy values to where indices mean them."""
    dictionary = _from_array(array.dictionary, utf8)
    indices = _buffer_of(array, 1, _INDEX_DTYPES[array.schema.format], array.offset, array.length)
    return from_indices(indices, dictionary, _is_valid(array), first_index)


def _concatenate(columns: list[StringColumn], utf8: bool) -> StringColumn:
    """Copy columns behind one another."""
    parts = [column.data[column.offsets[0] : column.offsets[-1]] for column in columns]
    starts = np.cumsum([0, *map(len, parts)])
    pairs = zip(columns, starts[:-1], strict=True)
    ends = [column.offsets[1:] + (start - column.offsets[0]) for column, start in pairs]
    validity = None
    if any(column._bitmap is not None for column in columns):
        validity = np.packbits(np.concatenate([column._is_valid() for column in columns]), bitorder="little")
    data = np.concatenate([_NOTHING, *parts])
    return StringColumn._trusted(np.concatenate([starts[:1], *ends]), data, validity, utf8=utf8)


# ------------------------------------------------------------------------------------------ the way out


def _schema_of(utf8: bool, is_small: bool = False) -> CSchema:
    if is_small:
        return c_schema(na.string() if utf8 else na.binary())
    return c_schema(na.large_string() if utf8 else na.large_binary())


def _make_array(column: StringColumn, requested_schema: object) -> CArray:
    """Make an array that shares the column's memory, and keeps it alive.

    Of what may be requested, offsets of 32 bits and text instead of bytes, or the reverse, can be had. Instead of views
    and dictionaries the caller gets plain values and makes them itself, as the interface allows.
    """
    utf8, is_small = column.utf8, False
    if requested_schema is not None:
        requested = c_schema(requested_schema)
        utf8, is_small = _is_text(requested), requested.format in ("u", "z")
    # Who gets the array believes offsets and text, but whoever made ours may have written to them since.
    max_length_bits(column.offsets, column.data)
    if utf8:
        column = _as_text(column)
    offsets, data = column.offsets, column.data
    is_small = is_small and offsets[-1] - offsets[0] <= MAX_INT32
    if is_small:
        data = data[offsets[0] : offsets[-1]]
        offsets = (offsets - offsets[0]).astype(np.int32)
    schema = _schema_of(utf8, is_small)
    return na.c_array_from_buffers(schema, len(column), [column.validity, offsets, data], validation_level="none")


def _as_text(column: StringColumn) -> StringColumn:
    """Give a utf8 column all of whose bytes are valid UTF-8, also those that lie under nulls."""
    column = StringColumn._trusted(column.offsets, column.data, column.validity)
    if find_invalid(column.offsets, column.data) < 0:
        return column
    column.validate()  # raises, unless a null hides what is wrong
    dense, data = column._present()
    offsets = np.zeros(len(column) + 1, np.int64)
    spread_offsets(dense, column.validity, offsets)
    return StringColumn._trusted(offsets, data, column.validity)
