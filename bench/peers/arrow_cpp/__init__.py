"""Arrow C++: the encoders and decoders of the libparquet in the pyarrow wheel, with no file around them."""

import importlib.metadata
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from ...cases import Case
from ...measure import Contender, Process, Remote, UnequalError
from ..base import BUILD, MissingError, build, files_of


class ArrowCpp:
    """``arrow``: to and from Arrow arrays. ``arrow bytearray``: from and to pointers and lengths."""

    name = "arrow"

    def prepare(self) -> str:
        """Build the program and give the version."""
        try:
            version = importlib.metadata.version("pyarrow")
        except importlib.metadata.PackageNotFoundError as error:
            raise MissingError("pyarrow is not installed") from error
        self.program = BUILD / f"arrow_peer-{version}"
        build(Path(__file__).with_name("build.sh"), self.program, ["g++"])
        return f"Arrow C++ of pyarrow {version}"

    def contenders(self, case: Case, stack: ExitStack) -> dict[str, Contender]:
        """Check that Arrow writes the same bytes, and give its two ways in and out."""
        process = stack.enter_context(Process([self.program, files_of(case.subject.column)]))
        dump = BUILD / "page.bin"
        process.ask("dump", case.subject.encoding, dump)
        if not np.array_equal(np.fromfile(dump, np.uint8), case.subject.page.data):
            raise UnequalError(
                f"Arrow C++ writes other bytes for {case.subject.encoding} of {case.subject.column.name}"
            )
        if case.subject.is_integer:
            return {"arrow": Remote(process, case.verb, case.subject.encoding, "integers")}
        return {
            "arrow": Remote(process, case.verb, case.subject.encoding, "arrow"),
            "arrow bytearray": Remote(process, case.verb, case.subject.encoding, "bytearray"),
        }
