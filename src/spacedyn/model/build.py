"""The public `Builder`, which describes a robot part by part."""

from typing import Any

import numpy as np

from ..errors import InputError
from ..signatures import known_names
from .device_builder import DeviceBuilder
from .flexible import Chain, beam, panel
from .model import Model
from .values import rotation_matrix, shown


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

    @known_names
    def flexible_beam(
        self,
        name: str,
        *,
        on: str,
        length: Any,
        segments: Any,
        mass_per_length: Any,
        EI: Any,
        GJ: Any = None,
        EA: Any = None,
        section_inertia: Any = (0.0, 0.0),
        damping_ratio: Any = None,
        stiffness_damping: Any = None,
        position: Any = (0.0, 0.0, 0.0),
        rotation: Any = None,
    ) -> None:
        """A uniform flexible beam on any body: a chain of rigid segments, clamped at its root, along its own x axis.

        Its bodies are `<name>1`, `<name>2`, … from the root on; its far end is the endpoint `<name>_tip`, which has the
        beam's axes. Frequencies converge with order 2 in the number of segments. Turns may be large, and a beam that
        spins becomes stiffer, as it should.

        Parameters
        ----------
        name : str
            Of the beam.
        on : str
            The body that carries it.
        length : float
            [m]
        segments : int
            How many.
        mass_per_length : float
            [kg/m]
        EI : float or (float, float)
            Bending stiffness [N m^2]: about both y and z, or about y (so that it deflects along z) and about z. None or
            infinite where it is rigid.
        GJ : float, optional
            Torsional stiffness [N m^2]; rigid in twist if left out. It needs `section_inertia`.
        EA : float, optional
            Axial stiffness [N]; of constant length if left out. Steps are short then: stretching is fast.
        section_inertia : (2,)
            Moments of inertia of the section about y and z, per length [kg m]; their sum resists twist.
        damping_ratio : float, optional
            Of the first mode of each kind of motion (bending about y, about z, twist, stretch) with the root clamped;
            that of higher modes grows with their frequency. 0 to 1.
        stiffness_damping : float, optional
            Instead: dampers over springs [s]; a mode of angular frequency w has the damping ratio w / 2 times that.
        position, rotation : array_like, Rotation
            (3,) [m] and (3, 3): the beam's root in the frame of the body that carries it; x is along the beam.

        Examples
        --------
        >>> b = Builder("bus with a boom")
        >>> b.base("bus", mass=100.0, inertia=(10.0, 12.0, 14.0))
        >>> b.flexible_beam("boom", on="bus", length=5.0, segments=4, mass_per_length=0.5, EI=200.0, damping_ratio=0.01)
        >>> b.build()
        <Model 'bus with a boom': free base, 4 joints, 14 rates, 102.5 kg>
        """
        given = {"length": length, "segments": segments, "mass_per_length": mass_per_length, "EI": EI, "GJ": GJ}
        given |= {"EA": EA, "section_inertia": section_inertia}
        given |= {"damping_ratio": damping_ratio, "stiffness_damping": stiffness_damping}
        self._add_chain(beam(self._problems, name, given), on, position, rotation)

    @known_names
    def flexible_panel(
        self,
        name: str,
        *,
        on: str,
        length: Any,
        width: Any,
        mass: Any,
        EI: Any = None,
        GJ: Any = None,
        EI_in_plane: Any = None,
        thickness: Any = 0.0,
        panels: Any = 1,
        segments: Any = 4,
        root_stiffness: Any = None,
        hinge_stiffness: Any = None,
        hinge_angle: Any = 0.0,
        damping_ratio: Any = None,
        stiffness_damping: Any = None,
        position: Any = (0.0, 0.0, 0.0),
        rotation: Any = None,
    ) -> None:
        """Flat panels in a row on any body, such as a solar paddle: a chain of plates along x, normal to z.

        Plates bend about y and twist about x, and may be hinged about y at the root and between panels. Bodies are
        `<name>1`, `<name>2`, … from the root on; the far end is the endpoint `<name>_tip`, with the panel's axes.

        Parameters
        ----------
        name : str
            Of the row.
        on : str
            The body that carries it.
        length, width, mass : float
            Of one panel: along x and y [m], [kg].
        EI, GJ : float, optional
            Bending stiffness about y, and torsional stiffness, of the whole width [N m^2]; rigid if left out.
        EI_in_plane : float, optional
            About z [N m^2]; rigid if left out, as plates are.
        thickness : float
            [m]
        panels, segments : int
            Number of panels, and of segments of each.
        root_stiffness, hinge_stiffness : float, optional
            Of hinges about y at the root and between panels [N m/rad], in series with the plates; rigid if left out.
        hinge_angle : float
            Angle about y between panels at which their hinges are slack [rad].
        damping_ratio, stiffness_damping : float, optional
            As in `flexible_beam`.
        position, rotation : array_like, Rotation
            (3,) [m] and (3, 3): the middle of the root's edge in the frame of the body that carries it.

        Examples
        --------
        >>> b = Builder("satellite")
        >>> b.base("bus", mass=500.0, inertia=(80.0, 90.0, 100.0))
        >>> plate = {"length": 2.0, "width": 2.5, "mass": 12.0, "segments": 1, "panels": 3}
        >>> b.flexible_panel("wing", on="bus", **plate, root_stiffness=900.0, hinge_stiffness=700.0, position=(1, 0, 0))
        >>> b.build()
        <Model 'satellite': free base, 3 joints, 9 rates, 536 kg>
        """
        given = {"length": length, "width": width, "mass": mass, "EI": EI, "GJ": GJ, "EI_in_plane": EI_in_plane}
        given |= {"thickness": thickness, "panels": panels, "segments": segments, "hinge_angle": hinge_angle}
        given |= {"root_stiffness": root_stiffness, "hinge_stiffness": hinge_stiffness}
        given |= {"damping_ratio": damping_ratio, "stiffness_damping": stiffness_damping}
        self._add_chain(panel(self._problems, name, given), on, position, rotation)

    def _add_chain(self, chain: Chain, on: str, position: Any, rotation: Any) -> None:
        """Add the bodies and joints of a chain whose root is at a pose of a body."""
        for number, (body, kind, options) in enumerate(chain.links()):
            if number == 0:
                options |= {"position": position, "rotation": _turned(rotation, options["rotation"])}
            self._bodies.append(body)
            self.joint(body.name, kind, parent=on, child=body.name, **options)
            on = body.name
        place, axes = chain.tip
        self.endpoint(f"{chain.name}_tip", body=on, position=place, rotation=axes)


def _turned(rotation: Any, joint: np.ndarray) -> Any:
    """A joint's axes in a body whose frame the chain's axes are turned in; what is no rotation is reported later."""
    matrix = rotation_matrix([], "", rotation)
    return rotation if matrix is None else matrix @ joint
