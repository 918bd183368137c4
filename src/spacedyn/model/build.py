"""The public `Builder`, which describes a robot part by part."""

from ..errors import InputError
from .device_builder import DeviceBuilder
from .model import Model
from .values import shown


class Builder(DeviceBuilder):
    """Describes a robot part by part, in any order; `build` checks everything and returns the Model.

    Vectors are in the frame named below, [m]; rotations are SciPy Rotations or 3x3 direction cosines.

    Parameters
    ----------
    name : str
        What the robot is called.
    base : str
        'free', 'attitude' (its centre of mass held), 'planar' or 'fixed'.

    Examples
    --------
    >>> b = Builder("arm", base="fixed")
    >>> b.base("floor", mass=100.0, inertia=(10.0, 10.5, 11.0))
    >>> b.body("link", mass=2.0, inertia=(0.02, 0.17, 0.17), com=(0.5, 0, 0))
    >>> b.joint("shoulder", "revolute", parent="floor", child="link", axis=(0, 1, 0), damping=0.1)
    >>> b.endpoint("tip", body="link", position=(1, 0, 0))
    >>> b.build()
    <Model 'arm': fixed base, 1 joint, 1 rate, 102 kg>
    """

    @classmethod
    def from_model(cls, model: Model, name: str | None = None) -> "Builder":
        """A builder that holds all parts of a model, to which others are then added.

        Parameters
        ----------
        model : Model
            One robot, not a fleet.
        name : str, optional
            Of the new robot; the model's own if left out.

        Examples
        --------
        >>> from spacedyn import load
        >>> b = Builder.from_model(load("ets7"))
        >>> b.wheel("wheel", on="base", axis=(0, 1, 0), mass=5.0, inertia=0.04)
        >>> b.build()
        <Model 'ets7': free base, 7 joints, 13 rates, 2697.38 kg>
        """
        if not isinstance(model, Model) or model.shape:
            raise InputError(f"from_model: give one robot, such as load('ets7') or fleet[0], got {shown(model)}")
        made = cls(model.name if name is None else name, model.base_kind)
        made._bases, made._bodies, made._joints = [model.bodies[0]], list(model.bodies[1:]), list(model.joints)
        made._endpoints, made._known = list(model.endpoints), model.bodies
        return made
