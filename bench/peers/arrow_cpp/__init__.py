"""Arrow C++: the encoders and decoders of the libparquet in the pyarrow wheel, with no file around them."""

import importlib.metadata
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from ...cases import Case
from ...measure import Contender, Process, Remote, UnequalError
from ..base import BUILD, MissingError, build, dump, files_of


class ArrowCpp:
    """``arrow``: to and from Arrow's arrays, as its reader and writer do.

    ``arrow bytearray``: from and to pointers and lengths. ``arrow integers``: to plain indices or levels.
    """

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
        """Check that Arrow writes the same bytes, and give its ways in or out."""
        subject = case.subject
        process = stack.enter_context(Process([self.program, files_of(subject.column)]))
        for name, section in dump(process, subject).items():
            if not np.array_equal(section, subject.sections[name]):
                raise UnequalError(
                    f"Arrow C++ writes other bytes for {subject.encoding}{name} of {subject.column.name}"
                )
        return {name: Remote(process, case.verb, subject.encoding, way) for name, way in _ways(case).items()}


def _ways(case: Case) -> dict[str, str]:
    match case.subject.encoding, case.operation:
        case ("DELTA_BINARY_PACKED", _) | ("levels", "encode"):
            return {"arrow": "integers"}
        case "levels", "decode":
            return {"arrow": "bitmap", "arrow integers": "integers"}
        case "RLE_DICTIONARY", "decode indices":
            return {"arrow": "dictionary", "arrow integers": "integers"}
        case _:
            return {"arrow": "arrow", "arrow bytearray": "bytearray"}
