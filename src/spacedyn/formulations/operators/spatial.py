"""The spatial operators of a robot at a state."""

import numpy as np

from ...errors import InputError
from ...kernels.robot import layout as t
from ...kernels.robot import operators as _operators
from ...kernels.robot import sweeps as k
from ...model.flatten import aligned
from ...model.model import Model
from ...model.state import State
from ...quantities.calls import check_state, for_robots, scalar_kind
from .algebra import Operator, Steps

Array = np.ndarray


class SpatialOperators:
    """Operators of any tree on any base at one state or a batch, each applied in O(n).

    Parameters
    ----------
    model, state
        The robot; one state or a batch. Rates do not matter, except to `motion_forces` and what uses them.
    about : 'base' or 'bodies'
        The points that forces on bodies and motions of bodies are taken at: for all of them the base's centre of mass,
        as the kernels have it, so that phi(i, j) is the identity; or each body's own frame's origin (for the base its
        centre of mass), as the literature has it: phi(i, j) = [1 0; l̃ 1] with l from body i to body j, on (force;
        moment). Inertial axes, linear before angular, in either case.

    Attributes
    ----------
    H : forces -> joint forces
        What joints feel of forces on their bodies; H.T gives each body its joint's motion.
    phi, shift : forces -> forces
        phi = (1 - shift)⁻¹ sums forces from the leaves to the base; shift hands them on to the parents, once. Their
        transposes take motions from the base to the leaves.
    psi, shift_psi : forces -> forces
        The same past joints that give way: shift_psi = shift @ (1 - G @ H).
    M, P : motions -> forces
        Inertias of single bodies, and articulated ones.
    D, D_inverse : rates -> joint forces, and back
        H P H' + J, a block for each joint.
    G, K : joint forces -> forces
        Kalman gains P H' D⁻¹, and shift @ G.
    J : rates -> joint forces
        Inertias of rotors behind gears.
    B : endpoint wrenches -> forces
        In the order of the model's endpoints; B.T @ phi.T @ H.T is their Jacobian.
    mass, mass_inverse : rates -> joint forces, and back
        H @ phi @ M @ phi.T @ H.T + J, and its inverse W⁻ᵀ d⁻¹ W⁻¹.
    factor, factor_inverse : joint forces -> joint forces
        Unit triangular W, with mass = W @ d @ W.T, where d is diagonal: `pivots`.
    root, root_inverse : normalised -> joint forces, and back
        W @ sqrt(d), with mass = root @ root.T.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> ops = sd.operators.SpatialOperators(robot, state)
    >>> np.allclose(ops.mass.dense(), sd.mass_matrix(robot, state))
    True
    >>> one_way = 1 + ops.H @ ops.phi @ ops.K  # the innovations factorisation
    >>> np.allclose((one_way @ ops.D @ one_way.T).dense(), sd.mass_matrix(robot, state))
    True
    >>> velocities = (ops.phi.T @ ops.H.T @ state.u).reshape(-1, 6)
    >>> velocities.shape
    (7, 6)

    Notes
    -----
    See docs/theory/operators.md; [1]_, [2]_.

    .. [1] G. Rodriguez, A. Jain, K. Kreutz-Delgado, Spatial operator algebra for multibody system dynamics, J.
       Astronautical Sciences 40 (1992) 27-50.
    .. [2] A. Jain, Robot and Multibody Dynamics, Springer, 2011.
    """

    def __init__(self, model: Model, state: State, *, about: str = "base"):
        check_state(model, state)
        if not isinstance(about, str) or about not in ("base", "bodies"):
            raise InputError(f"about: expected 'base' or 'bodies', got {about!r}")
        if model.shape and model.shape != state.shape and state.count:  # kept for every state: memory, descriptions
            model = model.repeated(state.shape)  # type: ignore[attr-defined]
        self.model, self.state, self.about = model, state, about
        self._same_order = bool((np.diff(model.flat.order) == 1).all())
        flat, bodies = model.flat, len(model.bodies)
        self._sizes = {"rates": model.nv, "motions": 6 * bodies, "endpoint motions": 6 * len(model.endpoints)}
        self._sizes |= {"joint forces": model.nv, "forces": 6 * bodies, "normalised": model.nv}
        self._sizes["endpoint wrenches"] = 6 * len(model.endpoints)
        self._kind, self._lanes = scalar_kind(state.count)
        self._stride = flat.slots + bodies * k.KEPT + 3 * len(model.endpoints)
        self._room = 12 * bodies + model.nv + 6 * len(model.endpoints)  # scalars of the vector that steps change
        self._spare: list[Array] = []  # memory for it, used again
        self._programs: dict[tuple[tuple[int, ...], str, str], Array] = {}
        self._packs = -(-state.count // self._lanes)
        self._memory = aligned(self._packs * self._stride * self._lanes)
        count, kernel = state.count, _operators.factorise
        for_robots(count, kernel, flat.tree, flat.par, self._memory, state._rows, count, self._stride, self._kind)
        self.pivots = self._of_rates(t.D)
        self.pivots.flags.writeable = False
        if not (np.isfinite(self.pivots).all() and (self.pivots > 0).all()):
            raise InputError(f"the mass matrix of '{model.name}' is singular in this pose: it has no factors")
        self._name_operators()

    def _name_operators(self) -> None:
        def make(domain: str, range_: str, *steps: int) -> Operator:
            return Steps(self, domain, range_, steps)

        forces, joint = "forces", "joint forces"
        self.H = make(forces, joint, k.JOINTS)
        self.phi, self.shift = make(forces, forces, k.PHI), make(forces, forces, k.SHIFT)
        self.M, self.P = make("motions", forces, k.RIGID_INERTIA), make("motions", forces, k.ARTICULATED_INERTIA)
        self.G = make(joint, forces, k.GAINS)
        self.K = self.shift @ self.G
        self.psi = make(forces, forces, k.PSI)
        self.shift_psi = self.shift - self.K @ self.H
        self.D = make("rates", joint, k.WITHIN + 1, k.TIMES, k.WITHIN)
        self.D_inverse = make(joint, "rates", k.WITHIN_INVERSE, k.OVER, k.WITHIN_INVERSE + 1)
        self.J = make("rates", joint, k.ROTORS)
        self.B = make("endpoint wrenches", forces, k.ENDS)
        self.mass = make("rates", joint, k.MASS)
        self.mass_inverse = make(joint, "rates", k.FACTOR_INVERSE, k.OVER, k.FACTOR_INVERSE + 1)
        self.factor, self.factor_inverse = make(joint, joint, k.FACTOR), make(joint, joint, k.FACTOR_INVERSE)
        self.root = make("normalised", joint, k.TIMES_ROOT, k.FACTOR)
        self.root_inverse = make(joint, "normalised", k.FACTOR_INVERSE, k.OVER_ROOT)

    def __repr__(self) -> str:
        return f"<spatial operators of '{self.model.name}' about its {self.about}, {self.model.nv} rates>"

    def size(self, space: str) -> int:
        """How many numbers a vector of 'rates', 'forces', … has."""
        return self._sizes[space]

    @property
    def log_determinant(self) -> Array:
        """Natural logarithm (…) of the mass matrix's determinant: the sum of those of `pivots`.

        >>> import spacedyn as sd
        >>> robot = sd.load("ets7")
        >>> ops = sd.operators.SpatialOperators(robot, robot.neutral_state())
        >>> np.isclose(ops.log_determinant, np.linalg.slogdet(ops.mass.dense())[1])
        np.True_
        """
        return np.log(self.pivots).sum(axis=-1)

    # --- what the kernels have left ----------------------------------------------------------------------------------

    def _scalars(self, start: int, size: int) -> Array:
        """(count, size) from the kernels' memory."""
        packs = self._memory.reshape(self._packs, self._stride, self._lanes)[:, start : start + size]
        return np.moveaxis(packs, -1, 1).reshape(self._packs * self._lanes, size)[: self.state.count].copy()

    def _of_rates(self, at: int) -> Array:
        tree, nv = self.model.flat.tree, self.model.nv
        records = self._scalars(int(tree[t.W_RATE]), nv * t.RATE_WORK)
        return records.reshape(*self.state.shape, nv, t.RATE_WORK)[..., at].copy()

    def _center_of_mass(self) -> Array:
        """(…, 3) of the whole robot, from the base's."""
        tree, bodies = self.model.flat.tree, len(self.model.bodies)
        records = self._scalars(int(tree[t.W_BODY]), bodies * t.BODY_WORK)
        inertias = records.reshape(*self.state.shape, bodies, t.BODY_WORK)[..., t.INERTIA : t.INERTIA + 4]
        count = int(tree[t.SEGMENTS])
        segments = self._scalars(int(tree[t.W_SEGMENT]), count * t.SEGMENT_WORK)
        segments = segments.reshape(*self.state.shape, count, t.SEGMENT_WORK)[..., t.ORIGIN : t.ORIGIN + 3]
        origins = np.concatenate([np.zeros((*self.state.shape, 1, 3)), segments], axis=-2)
        ints = tree[tree[t.BODY_AT] :][: bodies * t.BODY_INTS].reshape(bodies, t.BODY_INTS)
        moments = inertias[..., 1:] + inertias[..., :1] * origins[..., ints[:, t.SEGMENT], :]
        return moments.sum(axis=-2) / np.asarray(self.model.total_mass)[..., None]

    def _in_models_order(self, rows: Array) -> Array:
        """(…, bodies, 6) in the model's order, from (…, 6 bodies) in the kernels'."""
        each = rows.reshape(*rows.shape[:-1], len(self.model.bodies), 6)
        return each if self._same_order else each[..., self.model.flat.order, :]

    def _program(self, steps: tuple[int, ...], domain: str, range_: str) -> Array:
        """Steps as the kernel takes them, with where the vector comes in and goes out; made once for each product."""
        known = self._programs.get((steps, domain, range_))
        if known is not None:
            return known
        bodies, nv, taken = len(self.model.bodies), self.model.nv, steps
        if self.about == "bodies" or self.model.flat.tree[t.SEGMENTS] > 0:
            to, back = (k.FROM_BODY, k.TO_BODY) if self.about == "bodies" else (k.FROM_BASE, k.TO_BASE)
            first = {"forces": (to,), "motions": (back + 1,)}.get(domain, ())
            last = {"forces": (back,), "motions": (to + 1,)}.get(range_, ())
            taken = (*first, *steps, *last)
        start = {"forces": 0, "motions": 0, "endpoint wrenches": 6 * bodies + nv, "endpoint motions": 6 * bodies + nv}
        header = [start.get(domain, 6 * bodies), self.size(domain), start.get(range_, 6 * bodies), self.size(range_)]
        program = self._programs[steps, domain, range_] = np.array([*header, *taken], dtype=np.int64)
        return program

    def _run(self, steps: tuple[int, ...], domain: str, range_: str, rows: Array) -> Array:
        """Take steps on vectors (count, many, n)."""
        flat, (count, many, _) = self.model.flat, rows.shape
        if domain in ("forces", "motions") and not self._same_order:
            rows = rows.reshape(count, many, len(self.model.bodies), 6)[:, :, np.argsort(flat.order)]
        vectors, out = np.ascontiguousarray(rows).reshape(-1), np.empty((count, many, self.size(range_)))
        before = flat.tree, flat.par, self._memory, self._program(steps, domain, range_)
        try:
            room = self._spare.pop()
        except IndexError:  # none yet, or in the hands of other threads
            room = aligned(self._room * self._lanes)
        after = vectors, out.reshape(-1), count, many, self._stride, self._kind
        for_robots(count, _operators.run, *before, room, *after)
        self._spare.append(room)
        if range_ in ("forces", "motions"):
            return self._in_models_order(out).reshape(out.shape)
        return out
