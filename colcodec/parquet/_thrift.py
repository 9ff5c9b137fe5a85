"""Structs of Thrift's compact protocol, read whole: fields that nobody here knows of survive being written again.

A class names the fields that it knows, as ``parquet.thrift`` does, and holds all that were read. The bytes are the
business of Apache's Thrift library.
"""

from io import BytesIO
from typing import Any, ClassVar, Final, Generic, Self, TypeVar, overload

from thrift.protocol.TCompactProtocol import TCompactProtocol, TCompactProtocolAccelerated
from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TException, TType

from ..errors import MalformedFileError

T = TypeVar("T")

MAX_DEPTH: Final = 32  # structs and lists inside each other; those of Parquet go 6 deep
NAMES: Final = {
    TType.BOOL: "bool", TType.BYTE: "i8", TType.I16: "i16", TType.I32: "i32", TType.I64: "i64",
    TType.DOUBLE: "double", TType.STRING: "binary", TType.STRUCT: "struct", TType.LIST: "list",
}  # fmt: skip
LIMITS: Final = {TType.I16: 2**15, TType.I32: 2**31, TType.I64: 2**63}  # the protocol's varints can have 70 bits


class Field(Generic[T]):
    """A field that a struct may have, as an attribute of its class; None where it is absent.

    Parameters
    ----------
    number : int
        Its number in ``parquet.thrift``.
    kind : int
        Its TType; of a list, that of the elements.
    struct : type, optional
        The class of a struct, or of the structs in a list.
    many : bool, optional
        Whether it is a list.
    required : bool, optional
        Whether a struct without it is broken; it is then never None.
    """

    def __init__(
        self,
        number: int,
        kind: int,
        struct: "type[Struct] | None" = None,
        *,
        many: bool = False,
        required: bool = False,
    ) -> None:
        self.number = number
        self.kind = kind
        self.struct = struct
        self.many = many
        self.required = required

    def __set_name__(self, owner: "type[Struct]", name: str) -> None:
        self.name = name

    @property
    def _spec(self) -> tuple[Any, ...]:
        told: Any = None
        if self.struct is not None:
            told = [self.struct, self.struct._spec]
        elif self.kind == TType.STRING:
            told = "BINARY"
        if self.many:
            return self.number, TType.LIST, self.name, (self.kind, told, False), None
        return self.number, self.kind, self.name, told, None

    @overload
    def __get__(self, struct: None, owner: "type[Struct]") -> Self: ...
    @overload
    def __get__(self, struct: "Struct", owner: "type[Struct]") -> T: ...
    def __get__(self, struct: "Struct | None", owner: "type[Struct]") -> Self | T:
        if struct is None:
            return self
        found = struct._fields.get(self.number)
        if found is None:
            if self.required:
                raise MalformedFileError(f"{owner.__name__} has no {self.name}, which the format requires")
            return None  # type: ignore[return-value] # T of such a field has None in it
        kind, value = found
        wanted = TType.LIST if self.many else self.kind
        if self.many and kind == TType.LIST:
            kind, value, wanted = value.kind, value.items, self.kind
            if not value:
                return value  # type: ignore[no-any-return]
        if kind == wanted:
            return value  # type: ignore[no-any-return]
        given = NAMES.get(kind, f"type {kind}")
        raise MalformedFileError(f"{owner.__name__}.{self.name} is of {given}; expected {NAMES[wanted]}")

    def __set__(self, struct: "Struct", value: T) -> None:
        if value is None:
            struct._fields.pop(self.number, None)
        elif self.many:
            struct._fields[self.number] = (TType.LIST, List(self.kind, list(value)))  # type: ignore[call-overload]
        else:
            struct._fields[self.number] = (self.kind, value)


class List:
    """A list, or a set, with the type of its elements.

    Parameters
    ----------
    kind : int
        Their TType.
    items : list
        The elements.
    """

    __slots__ = ("items", "kind")

    def __init__(self, kind: int, items: list[Any]) -> None:
        self.kind = kind
        self.items = items


class Struct:
    """The fields of a struct, known and unknown; base of those that know some of them.

    Parameters
    ----------
    **fields : object
        Values of fields that the class knows.
    """

    __slots__ = ("_fields",)
    _structs: ClassVar[dict[int, "type[Struct]"]] = {}
    _spec: ClassVar[tuple[Any, ...]] = ()  # the fields as the library wants to be told of them

    def __init__(self, **fields: Any) -> None:
        self._fields: dict[int, tuple[int, Any]] = {}
        for name, value in fields.items():
            setattr(self, name, value)

    def __init_subclass__(cls) -> None:
        fields = [field for field in vars(cls).values() if isinstance(field, Field)]
        cls._structs = {field.number: field.struct for field in fields if field.struct is not None}
        by_number = {field.number: field for field in fields}
        cls._spec = tuple(by_number[i]._spec if i in by_number else None for i in range(max(by_number, default=-1) + 1))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Struct) and bytes(self) == bytes(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        values = (_shown(self._fields[number][1]) for number in sorted(self._fields))
        fields = (f"{name}={value!r}" for name, value in zip(self.names(), values, strict=True))
        return f"{type(self).__name__}({', '.join(fields)})"

    def names(self) -> list[str]:
        """Name the fields that are there.

        Returns
        -------
        list of str
            Their names, by number; "field 7" for one that the class does not know.
        """
        known = {field.number: name for name, field in vars(type(self)).items() if isinstance(field, Field)}
        return [known.get(number, f"field {number}") for number in sorted(self._fields)]

    def copy(self) -> Self:
        """Copy the struct; the structs in it are the same, not copies.

        Returns
        -------
        Struct
            A struct whose fields can be set without an effect on this one.
        """
        other = type(self)()
        other._fields = self._fields.copy()
        return other

    @classmethod
    def read(cls, buf: Any, start: int = 0, *, known: bool = False) -> tuple[Self, int]:
        """Read a struct.

        Parameters
        ----------
        buf : buffer
            What holds it.
        start : int, optional
            The byte at which it begins.
        known : bool, optional
            Whether to leave out the fields that no class here knows, which is some ten times faster.

        Returns
        -------
        struct : Struct
            What was read.
        end : int
            The byte behind it.

        Raises
        ------
        MalformedFileError
            If the bytes are no struct.
        """
        source = _Source(buf, start)
        # What has more bytes or elements than there are bytes is refused before there is room for it.
        limits = {"string_length_limit": len(source.buf), "container_length_limit": len(source.buf)}
        try:
            if known:
                return _read_known(TCompactProtocolAccelerated(source, **limits), cls), source.position
            return _read_struct(TCompactProtocol(source, **limits), cls, 0), source.position
        except (TException, EOFError, KeyError, OverflowError) as error:
            reason = f"there is no type {error}" if isinstance(error, KeyError) else str(error) or "it ends too early"
            where = f"{cls.__name__} at byte {start}"
            raise MalformedFileError(f"{where}: not Thrift's compact protocol ({reason})") from None

    def __bytes__(self) -> bytes:
        sink = _Sink()
        _write_struct(TCompactProtocol(sink), self)
        return b"".join(sink.parts)


def _shown(value: Any) -> Any:
    return value.items if isinstance(value, List) else value


class _Source:
    """What the protocol reads from: never more than there is.

    The names are those that the protocol calls and, with the attribute, its part that is written in C.
    """

    AHEAD = 512  # bytes; most page headers have less

    def __init__(self, buf: Any, start: int) -> None:
        self.buf = memoryview(buf)
        self.end = start
        self.cstringio_buf = BytesIO()

    def cstringio_refill(self, partial: bytes, size: int) -> BytesIO:
        missing, left = size - len(partial), len(self.buf) - self.end
        if missing > left:
            raise EOFError
        end = self.end + min(max(missing, self.AHEAD), left)
        self.cstringio_buf = BytesIO(partial + self.buf[self.end : end])
        self.end = end
        return self.cstringio_buf

    def readAll(self, size: int) -> bytes:  # noqa: N802
        taken = self.cstringio_buf.read(size)
        return taken if len(taken) == size else self.cstringio_refill(taken, size).read(size)

    @property
    def position(self) -> int:
        """The byte behind the last that was taken."""
        return self.end - len(self.cstringio_buf.getbuffer()) + self.cstringio_buf.tell()


class _Sink:
    """What the protocol writes to."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def write(self, part: bytes) -> None:
        self.parts.append(part)


def _read_known(protocol: Any, cls: type[Struct]) -> Any:
    struct = cls()
    if protocol._fast_decode is None:
        protocol.readStruct(struct, cls._spec)
    else:
        try:
            protocol._fast_decode(struct, protocol, [cls, cls._spec])
        except (TypeError, ValueError) as error:  # an unknown type, a negative length
            raise TProtocolException(TProtocolException.INVALID_DATA, str(error)) from None
    return struct


def _read_struct(protocol: Any, cls: type[Struct], depth: int) -> Any:
    struct = cls()
    fields, structs = struct._fields, cls._structs
    protocol.readStructBegin()
    while True:
        _, kind, number = protocol.readFieldBegin()
        if kind == TType.STOP:
            break
        _check_limit(number, TType.I16)
        fields[number] = (kind, _read_value(protocol, kind, structs.get(number, Struct), depth + 1))
        protocol.readFieldEnd()
    protocol.readStructEnd()
    return struct


def _read_value(protocol: Any, kind: int, cls: type[Struct], depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise MalformedFileError(f"structs and lists are nested more than {MAX_DEPTH} deep")
    if kind == TType.STRUCT:
        return _read_struct(protocol, cls, depth)
    if kind in (TType.LIST, TType.SET):
        return _read_list(protocol, cls, depth)
    if kind == TType.MAP:
        raise MalformedFileError("a map, which Parquet's metadata does not have")
    value = getattr(protocol, READ[kind])()
    if kind in LIMITS:
        _check_limit(value, kind)
    return value


def _check_limit(value: int, kind: int) -> None:
    if not -LIMITS[kind] <= value < LIMITS[kind]:
        raise TProtocolException(TProtocolException.INVALID_DATA, f"{value} is no {NAMES[kind]}")


def _read_list(protocol: Any, cls: type[Struct], depth: int) -> List:
    kind, size = protocol.readListBegin()
    if size == 0:  # some writers leave the type of the elements out: one byte of 0
        items = []
    elif kind == TType.BOOL:  # as a field a bool is in its header, in a list a byte
        items = [_read_bool(protocol) for _ in range(size)]
    else:
        items = [_read_value(protocol, kind, cls, depth + 1) for _ in range(size)]
    protocol.readListEnd()
    return List(kind, items)


def _read_bool(protocol: Any) -> bool:
    value = protocol.readByte()
    if value not in (0, 1, 2):  # false is 2 by the format, and 0 as some write it
        raise TProtocolException(TProtocolException.INVALID_DATA, f"{value} is no bool")
    return bool(value == 1)


def _write_struct(protocol: Any, struct: Struct) -> None:
    protocol.writeStructBegin("")
    for number, (kind, value) in sorted(struct._fields.items()):
        protocol.writeFieldBegin("", kind, number)
        _write_value(protocol, kind, value)
        protocol.writeFieldEnd()
    protocol.writeFieldStop()
    protocol.writeStructEnd()


def _write_value(protocol: Any, kind: int, value: Any) -> None:
    if kind == TType.STRUCT:
        _write_struct(protocol, value)
    elif kind in (TType.LIST, TType.SET):
        protocol.writeListBegin(value.kind, len(value.items))
        for item in value.items:
            _write_value(protocol, value.kind, item)
        protocol.writeListEnd()
    else:
        getattr(protocol, WRITE[kind])(value)


_BY_KIND: Final = {
    TType.BOOL: "Bool", TType.BYTE: "Byte", TType.I16: "I16", TType.I32: "I32", TType.I64: "I64",
    TType.DOUBLE: "Double", TType.STRING: "Binary", TType.UUID: "Uuid",
}  # fmt: skip
READ: Final = {kind: f"read{name}" for kind, name in _BY_KIND.items()}
WRITE: Final = {kind: f"write{name}" for kind, name in _BY_KIND.items()}
