"""Memory between pages that nobody may touch: one byte outside of an array, and the process ends with a signal.

NumPy takes the memory of its arrays from whoever it is told to (NEP 49). While a `GuardedMemory` is switched on, every
array begins where its pages begin, or ends where they end; on both sides lie pages without any right of access. So an
array is flush at one of its sides at a time, and what is run once at each side has been held against both.
"""

import ctypes
import sys
from contextlib import contextmanager

import numba
import numpy as np
from numba import types

IS_SUPPORTED = sys.platform == "linux"

PAGE = 4096
GUARD = 16 * PAGE
PATTERN = 0xA5
FILLED = 4 * PAGE  # larger arrays are not filled with the pattern, for it would take long

NO_ACCESS, READ, READ_AND_WRITE = 0, 1, 3  # PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE
PRIVATE, ANONYMOUS = 0x02, 0x20

SET_HANDLER = 304  # PyDataMem_SetHandler, a place in NumPy's C API table: part of its stable ABI
HANDLER_NAME = b"mem_handler"  # of the capsule
HANDLER_VERSION = 1

_MALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_CALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
_REALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)

FREED = 1 << 16  # arrays that can be let go of before the next is made


@numba.cfunc(types.void(types.CPointer(types.int64), types.int64, types.int64))
def _free(freed, address, size):  # pragma: compiled only
    """Note the address of an array that is let go, whose pages are taken back when the next is made.

    This is no Python, for NumPy calls it while exceptions are on their way.
    """
    if freed[0] < FREED:
        freed[0] += 1
        freed[freed[0]] = address


class _Handler(ctypes.Structure):
    """PyDataMem_Handler."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("malloc", _MALLOC),
        ("calloc", _CALLOC),
        ("realloc", _REALLOC),
        ("free", _FREE),
    )


class GuardedMemory:
    """The memory of arrays, flush with the end of their pages or with the beginning.

    Arrays of it must not outlive it, so a process that has made one keeps it to its end.
    """

    def __init__(self):
        self.at_end = True
        self._spare = {}  # a number of pages -> the addresses of as many that nobody uses
        self._used = {}  # the address of an array -> that of its pages, and their number
        self._protected = set()
        self._map, self._protect = _system_calls()
        self._freed = np.zeros(1 + FREED, np.int64)  # how many, and their addresses
        functions = _MALLOC(self._malloc), _CALLOC(self._calloc), _REALLOC(self._realloc), _FREE(_free.address)
        self._handler = _Handler(b"guarded", HANDLER_VERSION, self._freed.ctypes.data, *functions)
        self._capsule = _make_capsule(self._handler)
        self._set_handler = _numpy_function(SET_HANDLER)

    @contextmanager
    def switched_on(self):
        """Let all new arrays of this thread lie here."""
        before = self._set_handler(self._capsule)
        try:
            yield
        finally:
            self._set_handler(before)

    def output(self, size, dtype=np.uint8):
        """Give an array full of PATTERN; an empty one lies beside a page without access, as others do."""
        before = self._set_handler(self._capsule)
        array = np.empty(size or 1, dtype)
        self._set_handler(before)
        if size == 0:
            return np.ndarray(0, dtype, array, array.itemsize if self.at_end else 0)
        return array

    def input(self, values, dtype=np.uint8):
        """Give a copy that nobody can write to: a flag tells it, and a write ends the process all the same."""
        values = np.frombuffer(values, np.uint8) if isinstance(values, bytes) else np.asarray(values, dtype)
        array = self.output(values.size, values.dtype)
        array[:] = values
        if values.size:
            self.protect(array)
        array.flags.writeable = False
        return array

    def protect(self, array):
        """Forbid writes to the pages of an array, until it is let go."""
        address = array.ctypes.data
        pages, count = self._used[address]
        self._protect(pages, count * PAGE, READ)
        self._protected.add(address)

    def unprotect(self, array):
        """Allow writes again: what holds objects is written to when it is let go."""
        address = array.ctypes.data
        pages, count = self._used[address]
        self._protect(pages, count * PAGE, READ_AND_WRITE)
        self._protected.discard(address)

    def _malloc(self, _, size):
        self._take_back()
        count = -(-max(size, 1) // PAGE)
        spare = self._spare.setdefault(count, [])
        pages = spare.pop() if spare else self._new_pages(count)
        if size <= FILLED:
            ctypes.memset(pages, PATTERN, count * PAGE)
        address = pages + count * PAGE - size if self.at_end else pages
        self._used[address] = pages, count
        return address

    def _new_pages(self, count):
        whole = self._map(None, 2 * GUARD + count * PAGE, NO_ACCESS, PRIVATE | ANONYMOUS, -1, 0)
        pages = whole + GUARD
        if self._protect(pages, count * PAGE, READ_AND_WRITE) != 0:
            raise MemoryError(f"no memory for {count} pages")
        return pages

    def _calloc(self, context, count, size):
        address = self._malloc(context, count * size)
        ctypes.memset(address, 0, count * size)
        return address

    def _realloc(self, context, old, size):
        address = self._malloc(context, size)
        if old:
            pages, count = self._used[old]
            ctypes.memmove(address, old, min(size, pages + count * PAGE - old))
            self._let_go(old)
        return address

    def _take_back(self):
        """Take back the pages of all arrays that have been let go."""
        count = int(self._freed[0])
        for address in self._freed[1 : 1 + count].tolist():
            self._let_go(address)
        self._freed[0] = 0

    def _let_go(self, address):
        pages, count = self._used.pop(address)
        if address in self._protected:
            self._protected.remove(address)
            self._protect(pages, count * PAGE, READ_AND_WRITE)
        self._spare[count].append(pages)


def _system_calls():
    """Mmap and mprotect."""
    library = ctypes.CDLL(None, use_errno=True)
    size, number, address = ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p
    library.mmap.restype, library.mmap.argtypes = address, (address, size, number, number, number, ctypes.c_long)
    library.mprotect.restype, library.mprotect.argtypes = number, (address, size, number)
    return library.mmap, library.mprotect


def _make_capsule(handler):
    function = ctypes.pythonapi.PyCapsule_New
    function.restype = ctypes.py_object
    function.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
    return function(ctypes.addressof(handler), HANDLER_NAME, None)


def _numpy_function(place):
    """A function of NumPy's C API that takes an object and gives one."""
    from numpy._core import _multiarray_umath

    kind = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    get_pointer = kind(("PyCapsule_GetPointer", ctypes.pythonapi))
    table = ctypes.cast(get_pointer(_multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    return ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[place])
