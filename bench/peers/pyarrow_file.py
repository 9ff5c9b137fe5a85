"""pyarrow's only way to these encodings: a whole Parquet file, here in memory."""

import importlib.metadata
from contextlib import ExitStack
from typing import Any

import numpy as np

from ..cases import MAX_DICTIONARY_SIZE, Case, Integers
from ..measure import Contender, Function, UnequalError
from .base import MissingError


class PyarrowFile:
    """``pyarrow file``: write_table and read_table of one column, one thread, without compression and statistics."""

    name = "pyarrow file"

    def prepare(self) -> str:
        """Import pyarrow and give its version."""
        try:
            import pyarrow.parquet  # noqa: F401, PLC0415 (a peer may be missing)
        except ImportError as error:
            raise MissingError("pyarrow is not installed") from error
        return f"pyarrow {importlib.metadata.version('pyarrow')}"

    def contenders(self, case: Case, stack: ExitStack) -> dict[str, Contender]:  # noqa: ARG002
        """Check that the file reads back, and give writing or reading of it; it has no way to levels alone."""
        if case.subject.encoding == "levels":
            return {}
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.parquet as pq  # noqa: PLC0415

        table = pa.table({"values": _as_arrow(case)})
        encoding = _encoding(case)

        def write() -> Any:
            sink = pa.BufferOutputStream()
            pq.write_table(table, sink, **encoding, compression="none", write_statistics=False)
            return sink.getvalue()

        file = write()
        indices = ["values"] if case.operation == "decode indices" else None

        def read() -> Any:
            return pq.read_table(pa.BufferReader(file), use_threads=False, read_dictionary=indices)

        if not read().cast(table.schema).equals(table):
            raise UnequalError(f"pyarrow reads {case.subject.encoding} of {case.subject.column.name} as something else")
        return {"pyarrow file": Function(write if case.verb == "encode" else read)}


def _encoding(case: Case) -> dict[str, Any]:
    if case.subject.encoding == "RLE_DICTIONARY":
        return {"use_dictionary": True, "dictionary_pagesize_limit": MAX_DICTIONARY_SIZE}
    return {"use_dictionary": False, "column_encoding": {"values": case.subject.encoding}}


def _as_arrow(case: Case) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    column = case.subject.column
    if isinstance(case.subject, Integers):
        return pa.array(column.lengths)
    buffers = [None if column.bitmap is None else pa.py_buffer(column.bitmap)]
    buffers += [pa.py_buffer(np.ascontiguousarray(column.offsets)), pa.py_buffer(column.data)]
    return pa.Array.from_buffers(pa.binary(), len(column), buffers)
