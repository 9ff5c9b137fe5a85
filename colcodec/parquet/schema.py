"""The columns of a Parquet file: the leaves of its schema."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ..errors import MalformedFileError
from .structs import ColumnMetaData, ConvertedType, FileMetaData, PhysicalType, Repetition, RowGroup, SchemaElement

MAX_DEPTH: Final = 100
"""Fields on the way to a column. Paths that grow with each element of a schema would take the square of its size."""


@dataclass(frozen=True)
class Leaf:
    """A column of the schema: a leaf of its tree.

    Parameters
    ----------
    index : int
        Which leaf it is, and which column chunk of a row group.
    path : tuple of str
        Names from the root, which is not among them, to the leaf.
    element : SchemaElement
        The leaf itself.
    max_definition_level : int
        How many of the path's fields may be absent.
    max_repetition_level : int
        How many of them are repeated.
    """

    index: int
    path: tuple[str, ...]
    element: SchemaElement
    max_definition_level: int
    max_repetition_level: int

    @cached_property
    def name(self) -> str:
        """The path with dots."""
        return ".".join(self.path)

    @cached_property
    def type(self) -> int:
        """The physical type's number, a PhysicalType where the format knows it."""
        return self.element.type if self.element.type is not None else -1

    @property
    def physical_type(self) -> str:
        """The name of the physical type, or its number where there is no such type."""
        return PhysicalType(self.type).name if self.type in tuple(PhysicalType) else f"type {self.type}"

    @cached_property
    def type_length(self) -> int | None:
        """Bytes of each value of a FIXED_LEN_BYTE_ARRAY."""
        return self.element.type_length if self.type == PhysicalType.FIXED_LEN_BYTE_ARRAY else None

    @cached_property
    def logical_type(self) -> str | None:
        """The name of what values mean, as "STRING" or "DECIMAL"; None where nothing is said."""
        if self.element.logical_type is not None:
            for name in self.element.logical_type.names():
                return name
        converted = self.element.converted_type
        if converted is None:
            return None
        names = {int(kind): kind.name for kind in ConvertedType} | {int(ConvertedType.UTF8): "STRING"}
        return names.get(converted, f"ConvertedType {converted}")

    @property
    def is_unsigned(self) -> bool:
        """Whether the values are integers without a sign."""
        logical = self.element.logical_type
        if logical is not None and logical.INTEGER is not None:
            return not logical.INTEGER.is_signed
        return self.element.converted_type in range(ConvertedType.UINT_8, ConvertedType.UINT_64 + 1)

    @cached_property
    def is_text(self) -> bool:
        """Whether the values are UTF-8."""
        return self.type == PhysicalType.BYTE_ARRAY and self.logical_type in ("STRING", "ENUM", "JSON")


def leaves(metadata: FileMetaData) -> list[Leaf]:
    """List the columns of a file.

    Parameters
    ----------
    metadata : FileMetaData
        The footer.

    Returns
    -------
    list of Leaf
        In the order of the column chunks.

    Raises
    ------
    MalformedFileError
        If the schema is no tree.
    """
    elements = metadata.schema
    found: list[Leaf] = []
    # What is open on the way down: children still to come, path, and levels.
    opened: list[tuple[int, tuple[str, ...], int, int]] = [(_num_children(elements[0]), (), 0, 0)]
    for element in elements[1:]:
        while opened and opened[-1][0] == 0:
            opened.pop()
        if not opened:
            raise MalformedFileError(f"the schema has {len(elements)} elements, more than its root says")
        children, path, definition, repetition = opened.pop()
        opened.append((children - 1, path, definition, repetition))
        kind = element.repetition_type or Repetition.REQUIRED
        path = (*path, element.name.decode("utf-8", "backslashreplace"))
        if kind not in tuple(Repetition):
            raise MalformedFileError(f"element {path[-1]!r} of the schema has repetition type {kind}")
        definition += kind != Repetition.REQUIRED
        repetition += kind == Repetition.REPEATED
        if len(path) > MAX_DEPTH:
            raise MalformedFileError(f"the schema is nested more than {MAX_DEPTH} deep")
        if children := _num_children(element):
            opened.append((children, path, definition, repetition))
        elif element.type is not None:
            found.append(Leaf(len(found), path, element, definition, repetition))
    if any(children > 0 for children, *_ in opened):
        raise MalformedFileError(f"the schema ends after {len(elements)} elements, before all that they announce")
    return found


def _num_children(element: SchemaElement) -> int:
    count = element.num_children or 0
    if count < 0:
        raise MalformedFileError(f"an element of the schema has {count} children")
    return count


def find_leaf(metadata: FileMetaData, name: str) -> Leaf:
    """Find a column by its path with dots.

    Parameters
    ----------
    metadata : FileMetaData
        The footer.
    name : str
        As "a.b.c"; a part may have dots itself.

    Returns
    -------
    Leaf
        The column.

    Raises
    ------
    KeyError
        If there is no such column, or more than one.
    """
    known = leaves(metadata)
    found = [leaf for leaf in known if leaf.name == name]
    if len(found) != 1:
        problem = "no column" if not found else f"{len(found)} columns"
        raise KeyError(f"{problem} {name!r}; there are {_listed([leaf.name for leaf in known])}")
    return found[0]


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:20]))
    return shown + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def column_metadata(row_group: RowGroup, leaf: Leaf) -> ColumnMetaData:
    """Get the metadata of a column chunk.

    Parameters
    ----------
    row_group : RowGroup
        The row group.
    leaf : Leaf
        The column.

    Returns
    -------
    ColumnMetaData
        What it says.

    Raises
    ------
    MalformedFileError
        If it is missing, encrypted, in another file, or of another type than the schema's.
    """
    if leaf.index >= len(row_group.columns):
        raise MalformedFileError(f"column {leaf.name}: the row group has only {len(row_group.columns)} columns")
    chunk = row_group.columns[leaf.index]
    if chunk.crypto_metadata is not None or chunk.encrypted_column_metadata is not None:
        raise MalformedFileError(f"column {leaf.name} is encrypted; colcodec does not decrypt")
    if chunk.file_path is not None:
        raise MalformedFileError(f"column {leaf.name} is in another file, {chunk.file_path!r}, which is not read")
    metadata = chunk.meta_data
    if metadata is None:
        raise MalformedFileError(f"column {leaf.name} has no metadata")
    if metadata.type != leaf.type:
        raise MalformedFileError(f"column {leaf.name} is of type {metadata.type}, but of {leaf.type} in the schema")
    return metadata
