"""Scenarios: simulations as files, and the same as scripts."""

from .reading import scenarios
from .scenario import Scenario

__all__ = ["Scenario", "scenarios"]
