"""Parquet files with a footer that is not what their writer made of it."""

import io
import struct

from colcodec.parquet.metadata import MAGIC, read_footer


def with_footer(body, footer):
    """Put a footer, of whatever bytes, behind the bytes of a file."""
    return body + footer + struct.pack("<I4s", len(footer), MAGIC)


def edit(data, change):
    """Let `change` set fields of a footer."""
    footer = read_footer(io.BytesIO(data))
    change(footer.metadata)
    return with_footer(data[: footer.start], bytes(footer.metadata))
