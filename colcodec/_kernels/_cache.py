"""The cache of compiled kernels on disk: never stale, and never in the way."""

import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import caching


def _hash_of_sources() -> str:
    digest = hashlib.sha256(f"checked={bool(numba.config.BOUNDSCHECK)}".encode())
    for path in (*sorted(Path(__file__).parent.glob("*.py")), Path(__file__).parent.parent / "_spec.py"):
        digest.update(path.read_bytes())
    return digest.hexdigest()


_STAMP = _hash_of_sources()


class _FirstPlace(caching._CacheLocator):
    """Where Numba looks for a cached function first, whether or not it can be written to."""

    def __init__(self, function: Callable[..., Any], path: str) -> None:
        chosen = numba.config.CACHE_DIR
        beside = Path(path).parent / "__pycache__"
        self._folder = Path(chosen, self.get_suitable_cache_subpath(path)) if chosen else beside
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "_FirstPlace":
        return cls(py_func, py_file)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_disambiguator(self) -> str:
        return str(self._line)

    def get_source_stamp(self) -> str:
        return _STAMP


class _FirstPlaceAlone(caching.CompileResultCacheImpl):
    _locator_classes = [_FirstPlace]  # noqa: RUF012 - Numba's own is a list as well


class _Cache(caching.FunctionCache):
    """A cache that no call fails for: what cannot be read, or written any more, is compiled anew.

    Numba stamps a cached function with the contents of its own file only, so an edited callee or constant in another
    file would go unnoticed and the old code would run. Here the stamp is a hash of every file that a kernel can come
    from, and of whether bounds are checked.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file._source_stamp = _STAMP  # private, but the only handle that there is

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # of damaged files, whatever unpickling them raises
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


class _FinishedCache(_Cache):
    """What somebody else has compiled, say, where a container was made: it is read, and left as it is."""

    _impl_class = _FirstPlaceAlone  # type: ignore[assignment] # the one of Numba has None to begin with

    def save_overload(self, sig: Any, data: Any) -> None:
        """Do nothing."""


class _WritableCache(_Cache):
    """A cache in the first place that can be written to, behind which stands what is finished; RuntimeError without.

    The places are NUMBA_CACHE_DIR, that beside the package, and the user's own.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._finished = _FinishedCache(function)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        return self._finished.load_overload(sig, target_context) if found is None else found


def cache_of(function: Callable[..., Any]) -> caching.FunctionCache:
    """Give the cache of a function, in which nothing is kept where nothing can be written."""
    try:
        return _WritableCache(function)
    except RuntimeError:
        return _FinishedCache(function)
