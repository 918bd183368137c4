"""Checks of what a method that steps through rigid contact cannot simulate."""

from collections.abc import Iterable

from ..elements.element import Element
from ..elements.sleeping import Sleeping
from ..errors import InputError
from ..model.model import Model


def check_stepping(model: Model, elements: Iterable[Element]) -> None:
    """Raise, by name, if contact impulses would act on elements or joints that the method does not support."""
    elements = list(elements)
    if sum(isinstance(one, Sleeping) for one in elements) > 1:
        raise InputError("Sleeping: there are two; one element lets all bodies of a simulation sleep")
    for one in elements:
        if one.carries is not None and one.states:
            raise InputError(
                f"TimeStepping: impulses at contacts would change the states of '{one.label}' at once, and the method "
                "does not know how; choose another, such as DormandPrince8(), with contact that gives way"
            )
