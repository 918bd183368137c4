"""Height fields: ground by its heights over a grid, given by an array, a function or a file, or rough at random."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_banded

from ..errors import InputError, ModelWarning, warn_user
from ..kernels.geometry.surfaces import HEIGHTS
from ..reals import LARGEST, NotReal, finite_array, real_array
from ..signatures import checked_fields
from .height_files import read_heights
from .surfaces import EllipsoidSurface, Plane, SphereSurface, Surface, positive, surface_of, turned
from .triangle_mesh import TriangleMesh

Array = np.ndarray
_STEEP = 5.0  # slope between neighbours that looks like a step
_SMALLEST = 1e-30  # m between heights: squares of smaller ones underflow
_MOST_POINTS = 4_000_000
_FLAT = 1e-6  # least curvature [1/m] that counts


@dataclass(frozen=True, eq=False)
class Heights(Surface):
    """What all height fields have: z = h(x, y) in a frame of their own; below it is ground."""

    _: KW_ONLY
    rotation: Any = None
    smooth: bool = True

    code: ClassVar[int] = HEIGHTS

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "rotation", turned(f"{type(self).__name__}: rotation", self.rotation))

    @property
    def grid(self) -> Array:
        """(nx, ny) heights [m]."""
        raise NotImplementedError

    @property
    def step(self) -> Array:
        """(2,) distances of neighbours along x and y [m]."""
        raise NotImplementedError

    @property
    def first(self) -> Array:
        """(2,) x and y of the first height [m]."""
        raise NotImplementedError

    @property
    def axes(self) -> Array:
        """The third is up."""
        return np.asarray(self.rotation)

    @cached_property
    def coefficients(self) -> Array:
        """(nx + 2, ny + 2) of uniform cubic B-splines that pass through the heights, with natural ends."""
        return _natural(_natural(self.grid).T).T

    @cached_property
    def curvature(self) -> float:
        """A bound of the second derivatives of the smooth field [1/m]."""
        c, (dx, dy) = self.coefficients, self.step
        along = np.abs(np.diff(c, 2, axis=0)).max() / dx**2  # second derivatives are averages of these
        across = np.abs(np.diff(c, 2, axis=1)).max() / dy**2
        mixed = np.abs(np.diff(np.diff(c, axis=0), axis=1)).max() / (dx * dy)
        return float(max(along, across) + mixed)

    @property
    def reach(self) -> float:
        """Up to this distance of a smooth field gaps are distances: a quarter of the least radius of curvature [m]."""
        return 0.25 / max(self.curvature, _FLAT)

    @property
    def finest(self) -> float:
        """The grid's spacing."""
        return float(np.min(self.step))

    @property
    def largest_radius(self) -> float:
        """A ball's centre must be near enough for its nearest point to be one; bilinear ground is for points."""
        return 0.8 * self.reach if self.smooth else 0.0

    @cached_property
    def parameters(self) -> Array:
        """Corner, cells per metre, sizes, reach, whether it is smooth; the table."""
        grid = self.grid
        reach = 2.0 * self.reach if self.smooth else 1.0
        head = [*self.first, *(1.0 / self.step), *grid.shape, reach, 1.0 if self.smooth else 0.0]
        return np.concatenate([head, (self.coefficients if self.smooth else grid).ravel()])

    def height(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Heights at places of its own frame; beyond the grid it goes on with the slope of its edge.

        Parameters
        ----------
        x, y : (...)
            [m].

        Returns
        -------
        (...)
            [m].

        Examples
        --------
        >>> import numpy as np
        >>> import spacedyn as sd
        >>> hills = sd.HeightField.of(lambda x, y: np.sin(x) * np.cos(y), size=(6.0, 6.0), spacing=0.1)
        >>> float(abs(hills.height(0.77, -1.31) - np.sin(0.77) * np.cos(1.31)).round(5))
        0.0
        """
        table, total = self.coefficients if self.smooth else self.grid, 0.0
        places = [finite_array(f"height: {name}", value, "finite numbers [m]") for name, value in (("x", x), ("y", y))]
        try:
            places = list(np.broadcast_arrays(*places))
        except ValueError:
            raise InputError(f"height: x and y have shapes {places[0].shape} and {places[1].shape}") from None
        (i, wx), (j, wy) = (
            _neighbours((places[k] - self.first[k]) / self.step[k], self.grid.shape[k], self.smooth) for k in (0, 1)
        )
        for a, wa in enumerate(wx):
            for b, wb in enumerate(wy):
                total = total + wa * wb * table[i + a, j + b]
        return np.asarray(total)


@checked_fields("heights")
@dataclass(frozen=True, eq=False)
class HeightField(Heights):
    """Ground by heights over a grid of its own frame, whose z axis is up; below it is ground.

    Parameters
    ----------
    heights : (nx, ny)
        [m]; the first index goes along x.
    spacing : float or (2,)
        Between neighbours along x and y [m].
    corner : (2,), optional
        x and y of the first height [m]; if left out, the middle of the grid is the origin.
    rotation : (3, 3) or Rotation, optional
        Its axes in the frame that it stands in.
    smooth : bool
        Whether it is a spline with continuous curvature, and gaps are distances; if not, heights are bilinear between
        neighbours, and a gap is the height above. Round bodies need smooth ground.
    position : (3,)
        Of its origin [m]; by its name.
    kind : str
        'height_field', in files.

    Examples
    --------
    >>> import numpy as np
    >>> import spacedyn as sd
    >>> ground = sd.HeightField(np.zeros((5, 5)), spacing=1.0, position=(0, 0, 0.2))
    >>> ground.gap([0.3, 0.4, 1.0]).round(12).item()
    0.8
    """

    heights: ArrayLike
    spacing: ArrayLike = 1.0
    corner: ArrayLike | None = None

    word: ClassVar[str] = "height_field"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "heights", _checked_grid(self.heights))
        spacing = finite_array("HeightField: spacing", self.spacing, "a positive length [m], or two", [(), (2,)])
        if not np.all(spacing >= _SMALLEST):
            wanted = f"a positive length [m], or two, of {_SMALLEST:g} or more"
            raise InputError(f"HeightField: spacing must be {wanted}, got {self.spacing}")
        object.__setattr__(self, "spacing", np.array(np.broadcast_to(spacing, 2)))
        middle = -0.5 * (np.array(self.grid.shape) - 1.0) * self.step
        corner = middle if self.corner is None else self.corner
        object.__setattr__(self, "corner", finite_array("HeightField: corner", corner, "two numbers [m]", [(2,)]))
        _warn_of_steps(self)

    @property
    def grid(self) -> Array:
        """As given."""
        return np.asarray(self.heights)

    @property
    def step(self) -> Array:
        """As given."""
        return np.asarray(self.spacing)

    @property
    def first(self) -> Array:
        """As given, or so that the middle is the origin."""
        return np.asarray(self.corner)

    @classmethod
    def of(cls, function: Callable[..., Any], size: ArrayLike, spacing: float, **options: Any) -> "HeightField":
        """Heights by a function of x and y.

        Parameters
        ----------
        function : callable
            Heights (nx, ny) [m] from arrays x and y (nx, ny) [m].
        size : (2,)
            Extent along x and y about the origin [m].
        spacing : float
            [m]; rounded so that the grid fits.
        **options
            Others of HeightField: `rotation`, `smooth`, `position`.

        Examples
        --------
        >>> import spacedyn as sd
        >>> sd.HeightField.of(lambda x, y: 0.1 * x, size=(4.0, 2.0), spacing=0.5).grid.shape
        (9, 5)
        """
        if not callable(function):
            raise InputError(f"HeightField.of: function must be a function of x and y, got {function!r}")
        extent = finite_array("HeightField.of: size", size, "two positive lengths [m]", [(2,)])
        wanted = positive("HeightField.of: spacing", spacing)
        if not np.all(extent > 0.0):
            raise InputError(f"HeightField.of: size must be two positive lengths [m], got {extent.tolist()}")
        counts = np.maximum(np.rint(extent / wanted), 1.0).astype(int) + 1
        if counts.prod() > _MOST_POINTS:
            raise InputError(f"HeightField.of: {counts.prod()} heights are too many; choose a larger spacing")
        x, y = (np.linspace(-0.5 * length, 0.5 * length, n) for length, n in zip(extent, counts, strict=True))
        heights = real_array(function(*np.meshgrid(x, y, indexing="ij")))
        try:
            grid = np.broadcast_to(heights, counts)
        except ValueError:
            raise InputError(
                f"HeightField.of: function must give heights of the shape of x and y, {tuple(counts.tolist())}, got "
                f"shape {heights.shape}"
            ) from None
        return cls(grid, extent / (counts - 1), **options)

    @classmethod
    def from_file(
        cls, path: str | Path, spacing: float | None = None, scale: float = 1.0, **options: Any
    ) -> "HeightField":
        r"""Heights from a file: .npy (x first), .txt or .csv, .asc (ESRI's ASCII grid), .png or .tif.

        Parameters
        ----------
        path : str or path
            The file.
        spacing : float, optional
            [m]; an ASCII grid has its own.
        scale : float
            Metres for a unit of the file: of an image's brightness.
        **options
            Others of HeightField.

        Raises
        ------
        InputError
            With the file and what is wrong.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import spacedyn as sd
        >>> file = Path(tempfile.mkdtemp()) / "ramp.csv"
        >>> _ = file.write_text("0,1,2\n0,1,2\n")
        >>> sd.HeightField.from_file(file, spacing=2.0).height(1.0, 0.0).round(12).item()
        1.5
        """
        table = read_heights(path)
        between = table.spacing if spacing is None else spacing
        if between is None:
            raise InputError(f"HeightField.from_file: {str(path)!r} does not say its spacing; give spacing=… [m]")
        if table.corner is not None:
            options = {"corner": table.corner} | options
        return cls(scale * table.heights, between, **options)


@checked_fields()
@dataclass(frozen=True, eq=False)
class RoughGround(Heights):
    """Rough ground at random: a sum of waves whose heights fall with their lengths, as of natural terrain.

    Its spectrum is a power law between the longest and the shortest wave; one seed gives the same ground anywhere.

    Parameters
    ----------
    size : (2,)
        Extent along x and y about the origin [m].
    spacing : float
        [m].
    roughness : float
        Root mean square of heights [m].
    hurst : float
        How heights fall with lengths, from 0 (rough at all scales) to 1 (rough at long waves only).
    longest, shortest : float, optional
        Waves [m]; the size, and eight times the spacing, if left out.
    seed : int
        Of the random phases.
    rotation : (3, 3) or Rotation, optional
        Its axes in the frame that it stands in.
    smooth : bool
        As of HeightField.
    position : (3,)
        Of its origin [m]; by its name.
    kind : str
        'rough_ground', in files.

    Examples
    --------
    >>> import spacedyn as sd
    >>> ground = sd.RoughGround((8.0, 8.0), spacing=0.1, roughness=0.05, seed=3)
    >>> ground.grid.std().round(6).item(), ground.grid.shape
    (0.05, (81, 81))
    """

    size: ArrayLike
    spacing: float
    roughness: float
    hurst: float = 0.8
    longest: float | None = None
    shortest: float | None = None
    seed: int = 0

    word: ClassVar[str] = "rough_ground"

    def __post_init__(self) -> None:
        super().__post_init__()
        what = "RoughGround"
        size = finite_array(f"{what}: size", self.size, "two positive lengths [m]", [(2,)])
        if not np.all(size > 0.0):
            raise InputError(f"{what}: size must be two positive lengths [m], got {size.tolist()}")
        object.__setattr__(self, "size", size)
        for name in ("spacing", "roughness"):
            object.__setattr__(self, name, positive(f"{what}: {name}", getattr(self, name)))
        if not (np.all(size >= self.spacing) and self.spacing >= _SMALLEST):
            raise InputError(f"{what}: size must be at least a spacing each way, and that {_SMALLEST:g} m or more")
        if np.prod(size / self.spacing + 1.0) > _MOST_POINTS:
            raise InputError(f"{what}: that makes more than {_MOST_POINTS} heights; choose a larger spacing")
        hurst = finite_array(f"{what}: hurst", self.hurst, "a number from 0 to 1", [()])
        if not 0.0 <= hurst <= 1.0:
            raise InputError(f"{what}: hurst must be a number from 0 to 1, got {self.hurst}")
        longest = positive(f"{what}: longest", float(size.max()) if self.longest is None else self.longest)
        shortest = positive(f"{what}: shortest", 8.0 * self.spacing if self.shortest is None else self.shortest)
        if not 2.0 * self.spacing <= shortest < longest:
            raise InputError(
                f"{what}: waves must be from two spacings, {2 * self.spacing:g} m, on, and the shortest shorter than "
                f"the longest; got {shortest:g} m and {longest:g} m"
            )
        object.__setattr__(self, "longest", longest)
        object.__setattr__(self, "shortest", shortest)
        if self.seed < 0:
            raise InputError(f"{what}: seed must not be negative, got {self.seed}")
        _warn_of_steps(self)

    @property
    def counts(self) -> Array:
        """How many heights there are along x and y."""
        return np.maximum(np.rint(np.asarray(self.size) / self.spacing), 1.0).astype(int) + 1

    @cached_property
    def grid(self) -> Array:
        """Random phases, amplitudes by the wave's length; scaled to the roughness."""
        kx, ky = (np.fft.fftfreq(n, d) for n, d in zip(self.counts, self.step, strict=True))
        k = np.hypot(kx[:, None], ky[None, :])
        within = (k >= 1.0 / self.longest) & (k <= 1.0 / self.shortest)  # type: ignore[operator]
        if not within.any():
            raise InputError("RoughGround: no wave between the shortest and the longest fits; choose others")
        amplitude = np.where(within, np.where(k > 0.0, k, 1.0) ** -(self.hurst + 1.0), 0.0)
        noise = np.random.Generator(np.random.PCG64(self.seed)).standard_normal(k.shape)
        grid = np.fft.ifft2(np.fft.fft2(noise) * amplitude).real
        return grid * (self.roughness / grid.std())

    @property
    def step(self) -> Array:
        """So that the grid fits the size."""
        return np.asarray(self.size) / (self.counts - 1)

    @property
    def first(self) -> Array:
        """The middle is the origin."""
        return -0.5 * np.asarray(self.size)


SURFACES: dict[str, type[Surface]] = {
    made.word: made for made in (Plane, SphereSurface, EllipsoidSurface, HeightField, RoughGround, TriangleMesh)
}
"""Kinds of surfaces by their words in files."""


def read_surface(what: str, given: Any) -> Surface:
    """A surface, or the table of its parameters that a file has of it."""
    return surface_of(what, given, SURFACES)


def _checked_grid(given: ArrayLike) -> Array:
    """Heights as (nx, ny) finite numbers, or an error that says where they are not."""
    try:
        grid = real_array(given).astype(float)
    except NotReal as reason:
        raise InputError(f"HeightField: heights must be numbers (nx, ny), got {reason}") from None
    if grid.ndim != 2 or min(grid.shape) < 2:
        raise InputError(f"HeightField: heights must be (nx, ny), at least two each way, got shape {grid.shape}")
    if grid.size > _MOST_POINTS:
        raise InputError(f"HeightField: more than {_MOST_POINTS} heights; take every second or third")
    if np.any(np.abs(grid[np.isfinite(grid)]) > LARGEST):
        raise InputError(f"HeightField: heights are too large to compute with (above {LARGEST:g} m)")
    bad = np.argwhere(~np.isfinite(grid))
    if len(bad):
        i, j = bad[0]
        raise InputError(
            f"HeightField: {len(bad)} heights are not finite, the first at [{i}, {j}]; fill holes of the data first, "
            "for example by scipy.interpolate.griddata"
        )
    return grid


def _warn_of_steps(field: Heights) -> None:
    """Warn of neighbours that are far apart in height: contact forces swing at what is nearly a wall."""
    steps = [np.abs(np.diff(field.grid, axis=axis)) / field.step[axis] for axis in (0, 1)]
    worst = max(range(2), key=lambda axis: steps[axis].max())
    if steps[worst].max() > _STEEP:
        i, j = np.unravel_index(int(steps[worst].argmax()), steps[worst].shape)
        warn_user(
            f"{type(field).__name__}: a step of {np.degrees(np.arctan(steps[worst].max())):.0f} degrees at "
            f"[{i}, {j}], between neighbours; a height field is no wall: smooth the heights, or add a Plane",
            ModelWarning,
        )


def _natural(values: Array) -> Array:
    """Coefficients (n + 2, ...) along the first axis of natural splines through values (n, ...)."""
    n = len(values)
    if n == 2:
        ends = values
    else:
        matrix = np.array([np.full(n - 2, 1.0), np.full(n - 2, 4.0), np.full(n - 2, 1.0)])
        right = 6.0 * values[1:-1]
        right[0] -= values[0]
        right[-1] -= values[-1]
        ends = np.concatenate([values[:1], solve_banded((1, 1), matrix, right), values[-1:]])
    # the second derivative is zero at the ends, so the coefficient there is the value
    return np.concatenate([2.0 * ends[:1] - ends[1:2], ends, 2.0 * ends[-1:] - ends[-2:-1]])


def _neighbours(u: Array, count: int, smooth: bool) -> tuple[Array, list[Array]]:
    """The first neighbour in the table and the weights of all, at coordinates in cells."""
    inside = np.clip(u, 0.0, count - 1.0)
    cell = np.minimum(np.floor(inside), count - 2.0)
    t = inside - cell if smooth else u - cell
    if not smooth:
        return cell.astype(int), [1.0 - t, t]
    s, beyond = 1.0 - t, u - inside
    weights = [s**3 / 6, (4 - 6 * t**2 + 3 * t**3) / 6, (4 - 6 * s**2 + 3 * s**3) / 6, t**3 / 6]
    slopes = [-(s**2) / 2, -2 * t + 1.5 * t**2, 2 * s - 1.5 * s**2, t**2 / 2]
    return cell.astype(int), [w + beyond * d for w, d in zip(weights, slopes, strict=True)]
