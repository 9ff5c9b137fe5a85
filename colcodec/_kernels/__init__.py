"""Everything that is compiled; nothing else of colcodec imports Numba.

Kernels are pure over arrays: inputs are read-only, results go into the arrays given last or come back as numbers.
They allocate nothing and raise nothing. A kernel that reads encoded bytes takes ``(buf, pos, end, ...)``, believes none
of them, and returns ``(status, pos, index)``: what it found (a :class:`~colcodec._spec.Status`), the byte where it
stopped, and the value it could not read (-1 where the fault belongs to none). A kernel that writes takes
``(..., out, pos)`` and returns ``pos``; its caller gave it at least the bytes that the ``*_bound`` beside it tells.
"""
