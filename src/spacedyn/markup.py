"""Tables for notebooks: plain HTML that looks right on a light and on a dark page."""

from collections.abc import Iterable, Sequence
from html import escape


def table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> str:
    """A table with a title, and a note below it; everything is escaped.

    >>> table("masses", ["body", "kg"], [["<bus>", "80"]]).count("&lt;bus&gt;")
    1
    """
    cell = "text-align:left;padding:2px 14px 2px 0"
    head = "".join(f'<th style="{cell}">{escape(text)}</th>' for text in header)
    body = "".join(
        "<tr>" + "".join(f'<td style="{cell}">{escape(text)}</td>' for text in row) + "</tr>" for row in rows
    )
    below = f'<div style="margin-top:4px">{note}</div>' if note else ""
    return (
        f'<div><div style="font-weight:600;margin-bottom:4px">{escape(title)}</div>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}</div>"
    )


def chip(text: str, good: bool) -> str:
    """A few words in green or red.

    >>> "good" in chip("good", True)
    True
    """
    color = "#1a7f4b" if good else "#c0392b"
    style = f"color:white;background:{color};border-radius:9px;padding:1px 9px"
    return f'<span style="{style}">{escape(text)}</span>'
