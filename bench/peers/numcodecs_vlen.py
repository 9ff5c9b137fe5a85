"""numcodecs' VLenUTF8: PLAIN behind a count, from and to object arrays of str."""

import importlib.metadata
from contextlib import ExitStack

import numpy as np

import colcodec as cc

from ..cases import Case
from ..measure import Contender, Function, UnequalError
from .base import MissingError


class NumcodecsVLen:
    """``numcodecs``: PLAIN of text without nulls."""

    name = "numcodecs"

    def prepare(self) -> str:
        """Import numcodecs and give its version."""
        try:
            import numcodecs.vlen  # noqa: F401, PLC0415 (a peer may be missing)
        except ImportError as error:
            raise MissingError("numcodecs is not installed") from error
        return f"numcodecs {importlib.metadata.version('numcodecs')}"

    def contenders(self, case: Case, stack: ExitStack) -> dict[str, Contender]:  # noqa: ARG002
        """Check that the bytes behind the count are those of PLAIN, and that they read back."""
        import numcodecs.vlen  # noqa: PLC0415

        column = case.subject.column
        if case.subject.encoding != "PLAIN" or column.null_count:
            return {}
        try:
            texts = cc.StringColumn(column.offsets, column.data).to_numpy("O")
        except cc.InvalidColumnError:
            return {}
        codec = numcodecs.vlen.VLenUTF8()
        page = codec.encode(texts)
        same = np.array_equal(np.frombuffer(page, np.uint8)[4:], case.subject.page.data)
        if not same or not np.array_equal(codec.decode(page), texts):
            raise UnequalError(f"numcodecs makes something else of {column.name}")
        run = (lambda: codec.encode(texts)) if case.verb == "encode" else (lambda: codec.decode(page))
        return {"numcodecs": Function(run)}
