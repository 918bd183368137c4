"""Findings about a robot's file, and their table."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from textwrap import wrap

from ..markup import table

SEVERITIES = ("error", "warning", "note")
"""An error keeps the file from being used; a warning is likely wrong; a note is good to know."""


@dataclass(frozen=True)
class Finding:
    """One thing that looks wrong: severity ('error', 'warning', 'note'), where it is, what it is, what to do."""

    severity: str
    place: str
    message: str
    remedy: str

    def to_dict(self) -> dict[str, str]:
        """Plain text by key, for JSON."""
        return asdict(self)


class Findings(tuple[Finding, ...]):
    """All findings about a file, errors first; prints as a table.

    Attributes
    ----------
    file : str
        The file.
    """

    file: str

    def __new__(cls, file: str, findings: Iterable[Finding]) -> "Findings":
        """Sorted by severity, otherwise as they were found, none twice."""
        once = dict.fromkeys(findings)
        made = super().__new__(cls, sorted(once, key=lambda finding: SEVERITIES.index(finding.severity)))
        made.file = file
        return made

    @property
    def worst(self) -> str | None:
        """The gravest severity there is, or None."""
        return self[0].severity if self else None

    def count(self, severity: object) -> int:
        """How many there are of a severity."""
        return sum(finding.severity == severity for finding in self)

    def __str__(self) -> str:
        if not self:
            return f"{self.file}: nothing found"
        parts = [f"{n} {what}{'s' if n > 1 else ''}" for what in SEVERITIES if (n := self.count(what))]
        lines = [f"{self.file}: {', '.join(parts)}"]
        for finding in self:
            text = f"{finding.place}: {finding.message}"
            remedy = f"-> {finding.remedy}"
            head, *rest = [*wrap(text, 106), *wrap(remedy, 106)]
            lines += [f"  {finding.severity:<8} {head}", *(f"           {line}" for line in rest)]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [list(asdict(finding).values()) for finding in self]
        return table(self.file if self else str(self), ["severity", "place", "finding", "remedy"] if self else [], rows)
