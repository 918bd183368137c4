"""Units of a robot's coordinates and rates, and how units are written for people."""

from ...elements.element import Element
from ...model.model import Model
from ...model.parts import Joint


def coordinate_units(model: Model) -> list[str]:
    """Units of the entries of q: 'rad', 'm', or '1' for parts of a quaternion.

    >>> import spacedyn as sd
    >>> coordinate_units(sd.load("two_arm_sample"))
    ['rad', 'rad', 'm', 'rad', 'rad', 'm']
    """
    return [unit for joint in model.joints for unit in _of_joint(joint, joint.nq, "rad", "m")]


def rate_units(model: Model, units: str) -> list[str]:
    """Units of the entries of q̇: each is one of the two in 'angular|linear'.

    >>> import spacedyn as sd
    >>> rate_units(sd.load("tian_wu"), "rad/s|m/s")
    ['rad/s', 'rad/s', 'rad/s']
    """
    angular, linear = units.split("|")
    return [unit for joint in model.joints for unit in _of_joint(joint, joint.nv, angular, linear)]


def _of_joint(joint: Joint, count: int, angular: str, linear: str) -> list[str]:
    lengths = joint.kind_record.translations
    quaternion = count > joint.nv  # nq of a joint with a quaternion
    rest = "1" if quaternion else angular
    return [linear if i in lengths else rest for i in range(count)]


def unit_in_joint(model: Model, element: Element, unit: str) -> str:
    """Which of two units, 'angular or linear', an element in a joint with one rate has; others pass through.

    >>> import spacedyn as sd
    >>> slide = sd.Motor("elbow slide", stall_torque=2.0)
    >>> builder = sd.Builder("slide")
    >>> builder.base("bus", mass=1.0, inertia=(1, 2, 2))
    >>> builder.link("elbow slide", "prismatic", parent="bus", mass=1.0, inertia=(1, 2, 2))
    >>> unit_in_joint(builder.build(), slide, "N m or N"), unit_in_joint(builder.build(), slide, "W")
    ('N', 'W')
    """
    joint = getattr(element, "joint", None)
    if " or " not in unit or joint not in model.joint_names:
        return unit
    return unit.split(" or ")[len(model.joint(joint).kind_record.translations)]


def pretty(unit: str) -> str:
    """A unit as it is printed.

    >>> pretty("rad/s^2"), pretty("1")
    ('rad/s²', '')
    """
    return "" if unit == "1" else unit.replace("^2", "²")


def as_degrees(unit: str) -> str:
    """The same unit with degrees for radians.

    >>> as_degrees("rad/s"), as_degrees("m")
    ('deg/s', 'm')
    """
    return "deg" + unit[3:] if unit.startswith("rad") else unit
