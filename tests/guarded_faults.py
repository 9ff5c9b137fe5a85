"""Accesses that are wrong on purpose, by one byte: if these are not seen, neither is what kernels do wrong."""

import ctypes

import numpy as np

from colcodec._kernels.memory import copy_wide

SIZE = 100


def peek(address):
    return ctypes.c_uint8.from_address(address).value


def poke(address):
    ctypes.c_uint8.from_address(address).value = 0


def read_behind(case):
    peek(case.input(case.bytes(SIZE)).ctypes.data + SIZE)


def read_before(case):
    case.memory.at_end = False
    peek(case.input(case.bytes(SIZE)).ctypes.data - 1)


def read_of_nothing(case):
    peek(case.input(b"").ctypes.data)


def write_to_an_input(case):
    poke(case.input(case.bytes(SIZE)).ctypes.data)


def write_behind_an_array_of_numpy(case):
    with case.memory.switched_on():
        array = np.arange(SIZE) + 1
    poke(array.ctypes.data + array.nbytes)


def wide_write(case):
    copy_wide(case.input(case.bytes(32)), 0, case.output(31), 0, 1)


def nothing_wrong(case):
    """Touch the first and the last byte, and 32 bytes that are there."""
    array, out = case.input(case.bytes(SIZE)), case.output(SIZE)
    for address in (array.ctypes.data, array.ctypes.data + SIZE - 1):
        peek(address)
    for address in (out.ctypes.data, out.ctypes.data + SIZE - 1):
        poke(address)
    copy_wide(case.input(case.bytes(32)), 0, case.output(32), 0, 1)


def an_error(case):
    raise ValueError("no ColcodecError")


BY_ONE_BYTE = (read_behind, read_before, read_of_nothing, write_to_an_input, write_behind_an_array_of_numpy, wide_write)
FAULTS = {f"faults.{function.__name__}": function for function in (*BY_ONE_BYTE, nothing_wrong, an_error)}
