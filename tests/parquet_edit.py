"""Parquet files with a footer that is not what their writer made of it."""

import io

from parquet_file import with_footer

from colcodec.parquet.footer import read_footer


def edit(data, change):
    """Let `change` set fields of a footer; bytes that it gives back go before it."""
    footer = read_footer(io.BytesIO(data))
    added = change(footer.metadata) or b""
    return with_footer(data[: footer.start] + added, bytes(footer.metadata))
