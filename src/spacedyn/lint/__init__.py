"""Find what looks wrong in a robot's file: `check_file` reports severity, place, problem and remedy."""

from .check import check_file
from .findings import Finding, Findings

__all__ = ["Finding", "Findings", "check_file"]
