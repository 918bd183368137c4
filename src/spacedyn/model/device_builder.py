"""`DeviceBuilder`: wheels, gyros and sloshing liquids on any body, as bodies and joints like others."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..signatures import known_names
from .part_builder import PartBuilder
from .parts import Body
from .slosh import SloshMode, damping_of, frame_along, slosh_body, still_liquid, tank_shapes
from .values import numbers, plain, shown, unit
from .wheels import gimbal, rotor


class DeviceBuilder(PartBuilder):
    """Devices that are bodies on joints: their momentum and energy are the robot's."""

    @known_names
    def wheel(
        self,
        name: str,
        *,
        on: str,
        mass: Any,
        inertia: Any,
        axis: Any = (0.0, 0.0, 1.0),
        transverse_inertia: Any = None,
        position: Any = (0.0, 0.0, 0.0),
        static_imbalance: Any = 0.0,
        dynamic_imbalance: Any = 0.0,
        **options: Any,
    ) -> None:
        """A reaction wheel or rotor on any body: a body and a revolute joint without limits, both called `name`.

        The ledger holds its momentum and energy; its speed is the joint's rate, `state(qd={name: ...})`. `sd.Motor`
        drives it, and `sd.control.wheel_motor_attitude_hold` commands motors. The carrying body's mass and inertia
        must not include the wheel. At the speed W a static imbalance shakes it by a force of static_imbalance W²,
        a dynamic one by a moment of dynamic_imbalance W²; both turn with the wheel, and both are part of its motion.

        Parameters
        ----------
        name : str
            Of the body and the joint.
        on : str
            The body that carries it.
        mass : float
            [kg]
        inertia : float
            Moment of inertia about the axis [kg m^2].
        axis : array_like
            (3,) unit vector in the axes of the body that carries it.
        transverse_inertia : float, optional
            About any other axis through its centre [kg m^2]; half of `inertia`, as a disc has it, if left out.
        position : array_like
            (3,) of its centre on the axis, in the frame of the body that carries it [m].
        static_imbalance : float or array_like
            Mass times distance of its centre of mass from the axis [kg m]: a vector (3,) across the axis, in the axes
            of the carrying body at angle zero; a number is along the axis e of that body (x, y, z) that is the most
            across.
        dynamic_imbalance : float or array_like
            Product of inertia between the axis and a direction across it, as the inertia matrix has it [kg m^2]: a
            vector (3,) like the other; a number is along axis × e.
        **options
            Of `joint`: `damping`, `friction`, `max_rate`, `max_force` ...

        Examples
        --------
        >>> from spacedyn import Builder
        >>> b = Builder("bus with a wheel")
        >>> b.base("bus", mass=100.0, inertia=(10.0, 12.0, 14.0))
        >>> b.wheel("wheel", on="bus", axis=(0, 1, 0), mass=4.0, inertia=0.03, position=(0.2, 0, 0))
        >>> b.build().state(qd={"wheel": 200.0}).qd
        array([200.])
        """
        imbalance = static_imbalance, dynamic_imbalance
        self._bodies.append(rotor(self._problems, name, axis, mass, inertia, transverse_inertia, imbalance))
        self.joint(name, "revolute", parent=on, child=name, axis=axis, position=position, **options)

    @known_names
    def control_moment_gyro(
        self,
        name: str,
        *,
        on: str,
        mass: Any,
        inertia: Any,
        spin_axis: Any,
        gimbal_axis: Any,
        transverse_inertia: Any = None,
        gimbal_mass: Any = None,
        gimbal_inertia: Any = None,
        position: Any = (0.0, 0.0, 0.0),
        gimbal_com: Any = (0.0, 0.0, 0.0),
        wheel_position: Any = (0.0, 0.0, 0.0),
        static_imbalance: Any = 0.0,
        dynamic_imbalance: Any = 0.0,
        gimbal_options: Mapping[str, Any] | None = None,
        wheel_options: Mapping[str, Any] | None = None,
    ) -> None:
        """A control-moment gyro of variable speed: a gimbal on any body, and in it a wheel.

        Bodies and joints are called `<name>_gimbal` and `<name>_wheel`; the gimbal's joint comes first. Vectors are in
        the axes of the body that carries it, with both joints at zero.

        Parameters
        ----------
        name : str
            Of the gyro.
        on : str
            The body that carries it.
        mass, inertia, transverse_inertia : float
            Of the wheel, as in `wheel`.
        spin_axis, gimbal_axis : array_like
            (3,) unit vectors at right angles.
        gimbal_mass : float, optional
            [kg]; without mass and inertia the gimbal is a mere frame.
        gimbal_inertia : array_like, optional
            (3,) about the spin axis, gimbal axis × spin axis, and the gimbal axis, at its centre of mass [kg m^2].
        position : array_like
            (3,) of a point on the gimbal axis, in the frame of the body that carries it [m].
        gimbal_com, wheel_position : array_like
            (3,) centre of mass of the gimbal, and centre of the wheel, from that point [m].
        static_imbalance, dynamic_imbalance : float or array_like
            Of the wheel, as in `wheel`.
        gimbal_options, wheel_options : mapping, optional
            Of both joints, as in `joint`: {"max_rate": 1.0, "damping": 0.01}.

        Examples
        --------
        >>> from spacedyn import Builder
        >>> b = Builder("bus with a gyro")
        >>> b.base("bus", mass=100.0, inertia=(10.0, 12.0, 14.0))
        >>> rotor = {"mass": 6.0, "inertia": 0.16, "spin_axis": (1, 0, 0), "gimbal_axis": (0, 0, 1)}
        >>> b.control_moment_gyro("gyro", on="bus", **rotor)
        >>> b.build().joint_names
        ('gyro_gimbal', 'gyro_wheel')
        """
        outer = gimbal(self._problems, name, spin_axis, gimbal_axis, gimbal_mass, gimbal_inertia, gimbal_com)
        self._bodies.append(outer)
        self.joint(
            outer.name,
            "revolute",
            parent=on,
            child=outer.name,
            axis=gimbal_axis,
            position=position,
            **(gimbal_options or {}),
        )
        self.wheel(
            f"{name}_wheel",
            on=outer.name,
            mass=mass,
            inertia=inertia,
            axis=spin_axis,
            transverse_inertia=transverse_inertia,
            position=wheel_position,
            static_imbalance=static_imbalance,
            dynamic_imbalance=dynamic_imbalance,
            **(wheel_options or {}),
        )

    @known_names
    def slosh_mass(
        self,
        name: str,
        *,
        on: str,
        mass: Any,
        stiffness: Any,
        axis: Any = (1.0, 0.0, 0.0),
        position: Any = (0.0, 0.0, 0.0),
        damping: Any = 0.0,
        damping_ratio: Any = None,
    ) -> None:
        """A slosh mass: a point mass on a spring, along one direction or in a plane of any body.

        The joint that carries the mass is called `name`, as is its body; in a plane a joint `<name>_first` comes
        before it, for the first direction. Coordinates are displacements from rest [m].

        Parameters
        ----------
        name : str
            Of the body and the joint.
        on : str
            The body that carries it, whose mass must not include it.
        mass : float
            [kg]
        stiffness : float
            [N/m]
        axis : array_like
            (3,) unit vector in the axes of the carrying body, or (2, 3): two at right angles.
        position : array_like
            (3,) where it rests, in the frame of that body [m].
        damping : float
            [N s/m]
        damping_ratio : float, optional
            Instead of damping: share of the critical one, 0 to 1, while the body that carries it is held.

        Examples
        --------
        >>> from spacedyn import Builder
        >>> b = Builder("tanker")
        >>> b.base("bus", mass=100.0, inertia=(10.0, 12.0, 14.0))
        >>> b.slosh_mass("fuel", on="bus", mass=8.0, stiffness=2.0, axis=[(1, 0, 0), (0, 1, 0)], position=(0, 0, 0.3))
        >>> b.build().joint_names
        ('fuel_first', 'fuel')
        """
        where = f"slosh mass {shown(name)}"
        directions = _directions(self._problems, where, axis)
        damper = damping_of(self._problems, where, mass, stiffness, damping, damping_ratio)
        self._bodies.append(slosh_body(self._problems, name, mass))
        spring: dict[str, Any] = {"stiffness": stiffness, "damping": damper}
        if len(directions) == 2:
            first = f"{name}_first"
            self.body(first, massless=True)
            self.joint(first, "prismatic", parent=on, child=first, axis=directions[0], position=position, **spring)
            on, position = first, (0.0, 0.0, 0.0)
        self.joint(name, "prismatic", parent=on, child=name, axis=directions[-1], position=position, **spring)

    @known_names
    def slosh_pendulum(
        self,
        name: str,
        *,
        on: str,
        mass: Any,
        length: Any,
        direction: Any = (0.0, 0.0, -1.0),
        position: Any = (0.0, 0.0, 0.0),
        stiffness: Any = 0.0,
        damping: Any = 0.0,
    ) -> None:
        """A slosh pendulum: a point mass that swings about a hinge on any body, in both directions.

        Its joint is universal: two angles, about axes across `direction`. What pulls it is the acceleration that it
        feels: thrust, spin or gravity; so its frequency follows them.

        Parameters
        ----------
        name : str
            Of the body and the joint.
        on : str
            The body that carries it, whose mass must not include it.
        mass, length : float
            [kg], and from the hinge to the mass [m].
        direction : array_like
            (3,) unit vector from the hinge to the mass at zero angles, in the axes of the carrying body.
        position : array_like
            (3,) of the hinge, in the frame of that body [m].
        stiffness, damping : float
            Of both angles [N m/rad, N m s/rad].

        Examples
        --------
        >>> from spacedyn import Builder
        >>> b = Builder("tanker")
        >>> b.base("bus", mass=100.0, inertia=(10.0, 12.0, 14.0))
        >>> b.slosh_pendulum("fuel", on="bus", mass=8.0, length=0.25, position=(0, 0, 0.5))
        >>> b.build().joint("fuel").kind
        'universal'
        """
        where = f"slosh pendulum {shown(name)}"
        along = unit(self._problems, f"{where}: direction", direction, (3,))
        reach = numbers(self._problems, f"{where}: length", length, ())
        if reach is not None and not reach > 0.0:
            self._problems.append(f"{where}: length is {reach:g} m; give a number above 0.")
        z = frame_along(np.array([0.0, 0.0, 1.0]) if along is None else along)
        self._bodies.append(slosh_body(self._problems, name, mass, (1.0 if reach is None else float(reach), 0.0, 0.0)))
        turned = np.column_stack([z[:, 2], z[:, 0], z[:, 1]])  # its joint's x axis is the direction
        springs: dict[str, Any] = {"stiffness": stiffness, "damping": damping}
        self.joint(name, "universal", parent=on, child=name, position=position, rotation=turned, **springs)

    @known_names
    def slosh_tank(
        self,
        name: str,
        mode: SloshMode,
        *,
        on: str,
        kind: str = "spring",
        axis: Any = (0.0, 0.0, 1.0),
        position: Any = (0.0, 0.0, 0.0),
        damping_ratio: Any = 0.0,
    ) -> None:
        """A liquid in a tank on any body: what sloshes, `<name>_slosh`, and the rest, `<name>`, fixed to the body.

        Parameters
        ----------
        name : str
            Of the liquid.
        mode : SloshMode
            Of `sd.cylinder_slosh(...)`.
        on : str
            The body that carries the tank; its mass is that without the liquid.
        kind : str
            'spring': a mass on springs across the axis, right for the acceleration that the mode was made with;
            'pendulum': right for any acceleration along the axis, and swinging freely without.
        axis : array_like
            (3,) unit vector from the tank's bottom to the surface, against the pull, in the axes of the carrying body.
        position : array_like
            (3,) of the centre of the tank's bottom, in the frame of that body [m].
        damping_ratio : float
            Share of critical damping, 0 to 1, while the body is held and the acceleration is that of the mode.

        Examples
        --------
        >>> import spacedyn as sd
        >>> b = sd.Builder("tanker")
        >>> b.base("bus", mass=1000.0, inertia=(400.0, 400.0, 300.0))
        >>> b.slosh_tank("fuel", sd.cylinder_slosh(0.5, 0.6, 1000.0, 0.2), on="bus", position=(0, 0, -0.8))
        >>> b.build()
        <Model 'tanker': free base, 3 joints, 8 rates, 1471.24 kg>
        """
        where = f"slosh tank {shown(name)}"
        given: Any = mode
        if not isinstance(given, SloshMode):
            self._problems.append(f"{where}: mode is {shown(mode)}; give what sd.cylinder_slosh(...) returns.")
            return
        along = unit(self._problems, f"{where}: axis", axis, (3,))
        if kind not in ("spring", "pendulum"):
            self._problems.append(f"{where}: there is no kind {shown(kind)}; give 'spring' or 'pendulum'.")
        mass, com, inertia = still_liquid(mode)
        frame = frame_along(np.array([0.0, 0.0, 1.0]) if along is None else along)
        self._bodies.append(Body(name, mass, com, inertia, tank_shapes(mode)))
        self.joint(name, "fixed", parent=on, child=name, position=position, rotation=frame)
        slosh = f"{name}_slosh"
        spring = mode.stiffness if kind == "spring" else mode.stiffness * mode.pendulum_length**2
        inertial = mode.mass if kind == "spring" else mode.mass * mode.pendulum_length**2
        damper = damping_of(self._problems, where, inertial, spring, 0.0, damping_ratio)
        if kind == "spring":
            place, both = (0.0, 0.0, mode.height), [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
            springs: dict[str, Any] = {"stiffness": spring, "damping": damper}
            self.slosh_mass(slosh, on=name, mass=mode.mass, axis=both, position=place, **springs)
        else:
            place = (0.0, 0.0, mode.hinge_height)
            length = mode.pendulum_length
            self.slosh_pendulum(slosh, on=name, mass=mode.mass, length=length, position=place, damping=damper)


def _directions(problems: list[str], where: str, axis: Any) -> list[Any]:
    """One direction, or two at right angles."""
    given = numbers(problems, f"{where}: axis", axis, None)
    if given is None:
        return [(1.0, 0.0, 0.0)]
    if given.shape not in ((3,), (2, 3)):
        problems.append(f"{where}: axis has shape {given.shape}; give one unit vector (3,), or two at right angles.")
        return [(1.0, 0.0, 0.0)]
    found = [unit(problems, f"{where}: axis", one, (3,)) for one in np.atleast_2d(given)]
    if any(one is None for one in found):
        return [(1.0, 0.0, 0.0)]
    if len(found) == 2 and abs(found[0] @ found[1]) > 1e-6:  # type: ignore[operator]
        problems.append(f"{where}: its axes {plain(given[0])} and {plain(given[1])} must be at right angles.")
    return found
