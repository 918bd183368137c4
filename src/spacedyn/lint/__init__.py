"""What looks wrong in a robot's file: `check_file` finds it, and says how bad it is, where, and what to do."""

from .check import check_file
from .findings import Finding, Findings

__all__ = ["Finding", "Findings", "check_file"]
