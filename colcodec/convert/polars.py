"""`StringColumn` to polars; the way in is that of every Arrow array."""

from typing import TYPE_CHECKING

from ..string_column import StringColumn

if TYPE_CHECKING:
    import polars as pl


def to_polars(column: StringColumn) -> "pl.Series":
    """Make a Series of a column; see `StringColumn.to_polars`.

    Parameters
    ----------
    column : StringColumn
        The values.

    Returns
    -------
    polars.Series
        Of dtype String or Binary.
    """
    import polars as pl  # noqa: PLC0415 - not needed to import colcodec

    return pl.Series(column)  # through its __arrow_c_array__, which checks text for UTF-8 before polars believes it
