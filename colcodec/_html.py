"""Tables for notebooks: plain HTML without colours of its own, so that it looks right in light and in dark."""

import html
import reprlib
from collections.abc import Iterable, Sequence
from typing import Final

SHOWN: Final = 5
"""Values at each end of a column that are shown."""

_LEFT: Final = ' style="text-align: left"'

_shortener = reprlib.Repr()
_shortener.maxstring = _shortener.maxother = 60


def shorten(value: str | bytes | None, /) -> str:
    """Show a value as Python does, but for the middle of a long one.

    Parameters
    ----------
    value : str, bytes or None
        Any value of a column.

    Returns
    -------
    str
        At most some 60 printable characters.
    """
    return _shortener.repr(value)


def ends(count: int, /) -> list[int | None]:
    """Choose which of many values are shown.

    Parameters
    ----------
    count : int
        How many there are.

    Returns
    -------
    list of int or None
        Their indices; None stands for those that are left out.
    """
    if count <= 2 * SHOWN:
        return list(range(count))
    return [*range(SHOWN), None, *range(count - SHOWN, count)]


def make_table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], /, *, texts: Sequence[int]) -> str:
    """Make a table.

    Parameters
    ----------
    caption : str
        What stands above it.
    head : sequence of str
        Heads of the columns.
    rows : iterable of sequence of str
        Cells of each row.
    texts : sequence of int
        Which columns begin at the left; numbers end at the right, as they do without being told.

    Returns
    -------
    str
        HTML, in which all that was given is escaped.
    """

    def make_row(tag: str, cells: Sequence[str]) -> str:
        made = (f"<{tag}{_LEFT if i in texts else ''}>{html.escape(cell)}</{tag}>" for i, cell in enumerate(cells))
        return f"<tr>{''.join(made)}</tr>"

    body = "".join(make_row("td", row) for row in rows)
    return (
        f"<table><caption{_LEFT}>{html.escape(caption)}</caption>"
        f"<thead>{make_row('th', head)}</thead><tbody>{body}</tbody></table>"
    )
