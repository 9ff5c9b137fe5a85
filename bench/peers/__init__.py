"""The other implementations: each tells whether it can run here, and gives contenders for a case.

They get the same bytes, and their results are checked before anything is timed.
"""

from .arrow_cpp import ArrowCpp
from .base import MissingError, Peer
from .numcodecs_vlen import NumcodecsVLen
from .parquet_java import ParquetJava
from .pyarrow_file import PyarrowFile

__all__ = ["PEERS", "MissingError", "Peer"]

PEERS: dict[str, Peer] = {peer.name: peer for peer in (ArrowCpp(), ParquetJava(), PyarrowFile(), NumcodecsVLen())}
"""Every peer by name, in the order of the table."""
