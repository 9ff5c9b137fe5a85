"""Codecs of numcodecs, which finds them by ``codec_id`` once colcodec is installed."""

from dataclasses import replace
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

try:
    from numcodecs.abc import Codec
    from numcodecs.compat import ensure_contiguous_ndarray, ndarray_copy
    from numcodecs.registry import register_codec
except ModuleNotFoundError as missing:
    message = f'colcodec.plugins.numcodecs needs {missing.name}: pip install "colcodec[numcodecs]"'
    raise ModuleNotFoundError(message, name=missing.name) from None

from .._arrays import empty
from .._checks import read_only
from .._spec import Encoding
from ..codec import column, decode, decode_indices, encode
from ..convert.string_dtype import put_strings
from ..encodings import Bytes
from ..errors import ColcodecError, InvalidColumnError, InvalidTypeError
from ..page import EncodedPage
from ..string_column import StringColumn
from . import container

_COUNT_SIZE: Final = container.SIZE.size


class Strings(Codec):
    """Arrays of strings, encoded as Parquet does: the codec ``colcodec``.

    It takes the place of VLenUTF8 and VLenBytes: arrays of objects go in, n-dimensional ones in the order of their
    memory, and come out with one dimension. The bytes tell what they are (see :mod:`colcodec.plugins.container`), so
    `encoding` matters to `encode` alone. A compressor should follow.

    Parameters
    ----------
    encoding : Encoding or str, optional
        DELTA_BYTE_ARRAY, DELTA_LENGTH_BYTE_ARRAY, PLAIN or RLE_DICTIONARY. The first is never much larger than the
        second, and far smaller where neighbours begin alike; `colcodec.choose` finds the best for given values, which
        takes longer than to encode them and therefore is not done chunk by chunk.
    dtype : {"O", "T"}, optional
        What `decode` makes: objects, or NumPy's StringDType, which is several times as fast.
    keep_nulls : bool, optional
        Whether `decode` gives nulls, which the bytes always have: None in arrays of objects, and StringDType is
        ``StringDType(na_object=None)``. Without it, they are empty values, as those of VLenUTF8 are.

    Raises
    ------
    TypeError, ValueError
        If there is no such encoding of strings, or `dtype` is another.

    Examples
    --------
    >>> import numcodecs, numpy as np
    >>> codec = numcodecs.get_codec({"id": "colcodec", "keep_nulls": True})  # or Strings(keep_nulls=True)
    >>> codec.decode(codec.encode(np.array(["axis", None, "axle"], object)))
    array(['axis', None, 'axle'], dtype=object)
    """

    codec_id = "colcodec"

    def __init__(self, encoding: str = "DELTA_BYTE_ARRAY", dtype: str = "O", keep_nulls: bool = False) -> None:
        if dtype not in ("O", "T"):
            raise ValueError(f"dtype is {dtype!r}; expected 'O' or 'T'")
        self.encoding = container.as_string_encoding(encoding).name
        self.dtype = dtype
        self.keep_nulls = bool(keep_nulls)

    def encode(self, buf: Any) -> bytes:
        """Encode an array.

        Parameters
        ----------
        buf : array_like
            An array of dtype ``object``, ``StringDType``, ``U`` or ``S``, or a list; all text, or all bytes. None, 0
            (with which NumPy fills arrays of objects), NaN, NaT, pandas.NA and masked slots are null. Where there is
            nothing else, the values are text.

        Returns
        -------
        bytes
            The column.

        Raises
        ------
        InvalidTypeError
            If a value is neither text nor bytes nor null, or both are mixed.
        InvalidColumnError
            If text has a lone surrogate, or a value 2**31 bytes and more.
        """
        if isinstance(buf, (str, bytes, bytearray, memoryview)):
            expected = "an array of strings; for what VLenUTF8 made there is the codec 'colcodec.strings'"
            raise InvalidTypeError(f"got one {type(buf).__name__}; expected {expected}")
        array = buf if isinstance(buf, np.ndarray) else np.asarray(buf, object)
        strings = _column_of(array.reshape(-1, order="A"))
        return container.to_bytes(strings, container.as_string_encoding(self.encoding))

    def decode(self, buf: Any, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """Decode an array.

        Parameters
        ----------
        buf : buffer
            What `encode` gave.
        out : ndarray, optional
            An array of as many objects, or of StringDType, to write to instead of a new one; contiguous, of any shape.

        Returns
        -------
        ndarray
            `out`, or a new array with one dimension.

        Raises
        ------
        InvalidColumnError
            If the bytes are no column, text is not UTF-8, or `out` has another size.
        MalformedPageError
            If the page in the bytes is none.
        TypeError, ValueError
            If `out` is no such array.
        """
        target = None if out is None else _flat(out)
        page = container.from_bytes(_as_bytes(buf), None if target is None else target.size)
        if (self.dtype if target is None else target.dtype.kind) == "T":
            decoded = _as_strings(page, self.keep_nulls, target)
        elif page.encoding is Encoding.RLE_DICTIONARY:
            decoded = _as_shared_objects(page, self.keep_nulls, target)
        else:
            decoded = _as_objects(page, self.keep_nulls, target)
        return decoded if out is None else out


class VLenStrings(Codec):
    """What VLenUTF8 and VLenBytes make, encoded as Parquet does: the codec ``colcodec.strings``, a filter behind these.

    It turns bytes into bytes: the values, each behind its length, into a page of DELTA_BYTE_ARRAY or another encoding,
    in a :mod:`colcodec.plugins.container`, and back into the same bytes. A compressor should follow.

    Parameters
    ----------
    encoding : Encoding or str, optional
        As for :class:`Strings`.

    Raises
    ------
    TypeError, ValueError
        If there is no such encoding of strings.

    Examples
    --------
    >>> from numcodecs.vlen import VLenUTF8
    >>> stream = VLenUTF8().encode(np.array([f"/item/{i:06}" for i in range(1000)], object))
    >>> len(stream), len(VLenStrings().encode(stream))
    (16004, 1843)
    """

    codec_id = "colcodec.strings"

    def __init__(self, encoding: str = "DELTA_BYTE_ARRAY") -> None:
        self.encoding = container.as_string_encoding(encoding).name

    def encode(self, buf: Any) -> bytes:
        """Encode what VLenUTF8 or VLenBytes gave.

        Parameters
        ----------
        buf : buffer
            The number of values, then each behind its length, all as 4 bytes, little-endian.

        Returns
        -------
        bytes
            The column.

        Raises
        ------
        InvalidColumnError
            If the bytes are something else.
        """
        return container.to_bytes(_read_stream(_as_bytes(buf)), container.as_string_encoding(self.encoding))

    def decode(self, buf: Any, out: Any = None) -> Any:
        """Make again what `encode` got.

        Parameters
        ----------
        buf : buffer
            What `encode` gave.
        out : buffer, optional
            Memory of the right size to write to instead of a new array.

        Returns
        -------
        ndarray
            `out`, or uint8.

        Raises
        ------
        InvalidColumnError
            If the bytes are no column.
        MalformedPageError
            If the page in the bytes is none.
        ValueError
            If `out` is of another size.
        """
        return ndarray_copy(decode_stream(buf), out)


def decode_stream(buf: Any, expected: int | None = None) -> Bytes:
    """Make again what :class:`VLenStrings` encoded.

    Parameters
    ----------
    buf : buffer
        What it gave.
    expected : int, optional
        How many values there must be.

    Returns
    -------
    ndarray
        uint8: the number of values, then each behind its length.

    Raises
    ------
    InvalidColumnError
        If the bytes are no column, or one of another number of values.
    MalformedPageError
        If the page in the bytes is none.
    """
    strings = _decoded(container.from_bytes(_as_bytes(buf), expected), keep_nulls=False)
    stream = empty(_COUNT_SIZE * (1 + len(strings)) + strings.data.size, np.uint8)
    container.SIZE.pack_into(stream.data, 0, len(strings))
    encode(strings, "PLAIN", out=stream[_COUNT_SIZE:])
    return stream


register_codec(Strings)  # for whoever imports this module, be colcodec installed or not
register_codec(VLenStrings)


def _as_bytes(buf: Any) -> Bytes:
    """View a buffer as bytes, whatever it holds."""
    return read_only(ensure_contiguous_ndarray(buf).view(np.uint8))


def _read_stream(stream: Bytes) -> StringColumn:
    """Read what VLenUTF8 and VLenBytes write, which must end where its last value does."""
    try:
        if stream.size < _COUNT_SIZE:
            raise InvalidColumnError(f"the count alone has {_COUNT_SIZE} bytes")
        (count,) = container.SIZE.unpack_from(stream.data)
        page = EncodedPage(Encoding.PLAIN, stream[_COUNT_SIZE:], count)
        strings = cast("StringColumn", decode(page, max_data_size=stream.size))
        end = _COUNT_SIZE * (1 + count) + strings.data.size
        if end != stream.size:
            raise InvalidColumnError(f"{count} values end at byte {end}")
    except (ColcodecError, ValueError) as error:
        expected = "the number of values, then each behind its length, as VLenUTF8 and VLenBytes write them"
        raise InvalidColumnError(f"expected {expected}, got {stream.size} bytes that are not: {error}") from None
    return strings


def _column_of(array: npt.NDArray[Any]) -> StringColumn:
    """Make a column of an array, in which 0 is null, as it is to VLenUTF8."""
    try:
        return column(array)
    except InvalidTypeError:
        if array.dtype.kind != "O":
            raise
        is_zero = [isinstance(value, (int, np.integer)) and value == 0 for value in array]
        return column(np.ma.masked_array(array, np.ma.getmaskarray(array) | np.array(is_zero, np.bool_)))


def _decoded(page: EncodedPage, keep_nulls: bool) -> StringColumn:
    """Decode a page, which must live as long as the column."""
    strings = cast("StringColumn", decode(page, copy=False))
    return strings if keep_nulls else StringColumn._trusted(strings.offsets, strings.data, utf8=strings.utf8)


def _as_objects(page: EncodedPage, keep_nulls: bool, target: npt.NDArray[Any] | None) -> npt.NDArray[Any]:
    """Make objects of a page."""
    strings = _decoded(page, keep_nulls)
    if target is None:
        return strings.to_numpy("O")
    target[:] = None
    strings._put(target)
    return target


def _as_shared_objects(page: EncodedPage, keep_nulls: bool, target: npt.NDArray[Any] | None) -> npt.NDArray[Any]:
    """Make objects of a page of indices: one for each value of its dictionary."""
    indices, dictionary = decode_indices(page)
    null = None if keep_nulls else "" if dictionary.utf8 else b""
    known = np.append(dictionary.to_numpy("O"), np.array([null], object))
    return np.take(known, indices, out=target, mode="wrap")  # nulls have the index -1


def _as_strings(page: EncodedPage, keep_nulls: bool, target: npt.NDArray[Any] | None) -> npt.NDArray[Any]:
    """Make StringDType of a page, be it of text or of bytes."""
    strings = _decoded(replace(page, dtype="utf8"), keep_nulls)
    if target is None:
        text: Any = np.dtypes.StringDType(na_object=None) if keep_nulls else np.dtypes.StringDType()
        target = np.empty(len(strings), text)
    put_strings(strings, target)
    return target


def _flat(out: Any) -> npt.NDArray[Any]:
    """View an array that is to be written to with one dimension, in the order of its memory."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be an array of objects or of StringDType, got {type(out).__name__}")
    if out.dtype.kind not in "OT":
        raise ValueError(f"out must be an array of objects or of StringDType, got one of {out.dtype}")
    if not (out.flags.forc and out.flags.writeable):
        raise ValueError("out must be contiguous and writeable")
    return out.reshape(-1, order="A")
