"""A codec of zarr-python 3, which finds it by its name once colcodec is installed."""

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn, Self, cast

try:
    from zarr.abc.buffer import Buffer
    from zarr.abc.codec import BytesBytesCodec
    from zarr.dtype import VariableLengthBytes, VariableLengthUTF8
    from zarr.registry import register_codec
except ModuleNotFoundError as missing:
    message = f'colcodec.plugins.zarr needs {missing.name}: pip install "colcodec[zarr]"'
    raise ModuleNotFoundError(message, name=missing.name) from None

from .numcodecs import VLenStrings, decode_stream

NAME: Final = "colcodec.strings"


@dataclass(frozen=True)
class StringsCodec(BytesBytesCodec):
    """Strings of variable length, encoded as Parquet does: the first of ``compressors=`` for dtype ``str``.

    zarr's own codec ``vlen-utf8`` or ``vlen-bytes`` goes before it, which zarr sees to, and a compressor behind it. For
    arrays of zarr format 2 there is :class:`colcodec.plugins.numcodecs.VLenStrings`, a filter.

    Parameters
    ----------
    encoding : Encoding or str, optional
        DELTA_BYTE_ARRAY, DELTA_LENGTH_BYTE_ARRAY, PLAIN or RLE_DICTIONARY.

    Raises
    ------
    TypeError, ValueError
        If there is no such encoding of strings.
    """

    is_fixed_size = False

    encoding: str = "DELTA_BYTE_ARRAY"

    def __post_init__(self) -> None:
        object.__setattr__(self, "encoding", VLenStrings(self.encoding).encoding)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make a codec of what the metadata of an array has.

        Parameters
        ----------
        data : mapping
            Name and configuration.

        Returns
        -------
        StringsCodec
            The codec.

        Raises
        ------
        ValueError
            If the name is another.
        """
        if data["name"] != NAME:
            raise ValueError(f"expected a codec {NAME!r}, got {data['name']!r}")
        return cls(**data.get("configuration", {}))

    def to_dict(self) -> dict[str, Any]:
        """Give what the metadata of an array has.

        Returns
        -------
        dict
            Name and configuration.
        """
        return {"name": NAME, "configuration": {"encoding": self.encoding}}

    def validate(self, *, dtype: Any, **_: Any) -> None:
        """Check that an array has strings.

        Parameters
        ----------
        dtype : ZDType
            Its data type.
        **_ : object
            Its shape and grid, which may be any.

        Raises
        ------
        TypeError
            If it has not.
        """
        if not isinstance(dtype, (VariableLengthUTF8, VariableLengthBytes)):
            raise TypeError(f"{NAME} is for arrays of strings of variable length, got {dtype}")

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any) -> NoReturn:
        """Refuse to tell a size, which depends on the values.

        Parameters
        ----------
        input_byte_length : int
            Bytes of a chunk.
        chunk_spec : ArraySpec
            What else is known of it.

        Raises
        ------
        NotImplementedError
            Always, as zarr's compressors do.
        """
        raise NotImplementedError(f"{input_byte_length} bytes of {chunk_spec} become as many as their values need")

    async def _encode_single(self, chunk_data: Buffer, chunk_spec: Any) -> Buffer:
        """Encode a chunk, in a thread, as it holds no lock."""
        return await asyncio.to_thread(self._encode_sync, chunk_data, chunk_spec)

    async def _decode_single(self, chunk_data: Buffer, chunk_spec: Any) -> Buffer:
        """Decode a chunk, in a thread likewise."""
        return await asyncio.to_thread(self._decode_sync, chunk_data, chunk_spec)

    def _encode_sync(self, chunk_data: Buffer, chunk_spec: Any) -> Buffer:
        """Encode a chunk for pipelines that do without threads."""
        encoded = VLenStrings(self.encoding).encode(chunk_data.as_numpy_array())
        return cast("Buffer", chunk_spec.prototype.buffer.from_bytes(encoded))

    def _decode_sync(self, chunk_data: Buffer, chunk_spec: Any) -> Buffer:
        """Decode a chunk for these."""
        stream = decode_stream(chunk_data.as_numpy_array(), math.prod(chunk_spec.shape))
        return cast("Buffer", chunk_spec.prototype.buffer.from_bytes(stream))


register_codec(NAME, StringsCodec)  # for whoever imports this module, be colcodec installed or not
