"""`Run`, the result of a simulation: labelled arrays over time, a status, and a ledger of energy and momentum."""

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..elements.element import Element
from ..elements.program import UserElement
from ..errors import InputError, RunWarning, warn_user
from ..laws.law import Law
from ..signatures import check_names, checked_arguments, keywords_of
from ..simulate.channels import LEDGER
from ..simulate.events import Event
from ..simulate.failures import stiffness_note
from .audit import Audit, Auditor, balances, lifting_energy, quantities
from .record import Record

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

    from ..show.viewer.film_page import Film
    from ..show.viewer.live import Viewer

Array = np.ndarray


class Run(Record):
    """A simulation's record.

    Made by `simulate`, or read by `Run.load`.

    Attributes
    ----------
    simulation : Simulation
        What made it; `model`, `laws`, `elements`, `method`, `gravity` and `shape` are its own.
    status : str
        'done', 'event' (a terminal one; of a batch: all robots ended at one), 'interrupted', 'unfinished' (its program
        was killed, or is still at work), or what went wrong.
    time : (times,)
        When it was recorded [s].
    events : tuple of EventOccurrence
        What happened, in order: name, time, state before and after, and to which robot.
    faults : tuple of Fault
        Devices that failed: when, which, how.
    folder : Path or None
        Where its records are, if they are not in memory.
    notes : tuple of str
        What was noticed when it went on from a file: damaged checkpoints that were skipped.
    viewer : Viewer or None
        The live viewer of a run that was simulated with `view=True`; else None.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> run = sd.simulate(robot, robot.state(qd=[0.1, 0, 0, 0, 0, 0]), 2.0, record=0.5)
    >>> run.time
    array([0. , 0.5, 1. , 1.5, 2. ])
    >>> run.states.q.shape, run.endpoint("hand").position.shape
    ((5, 6), (5, 3))
    >>> float(run.data.qd.sel(time=0, rate="joint1"))
    0.1
    """

    viewer: "Viewer | None" = None

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} to {self.time[-1]:g} s" if self.time.size else "nothing recorded"
        return f"<Run of '{self.model.name}': {self.status}, {span}, {self.time.size} records>"

    def _repr_html_(self) -> str:
        from .page import run_page

        return run_page(self)

    # --- other forms -------------------------------------------------------------------------------------------------

    def to_dataframe(self) -> "pandas.DataFrame":
        """Everything recorded as a flat table: a row for each time (and robot), a column for each number, named.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("ets7")
        >>> run = sd.simulate(robot, robot.state(qd=[0.1, 0, 0, 0, 0, 0]), 2.0, record=0.5)
        >>> run.to_dataframe()[["q.joint1", "base_position.x"]].shape
        (5, 2)
        """
        from .dataset import dataframe

        return dataframe(self)

    @checked_arguments()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a NetCDF file: all that was recorded, to the bit, what made it, and checkpoints to go on from.

        Any program that reads NetCDF can read it; `Run.load` gives the Run back.
        """
        from .netcdf import save

        save(self, Path(path))

    @staticmethod
    @checked_arguments()
    def load(path: str | os.PathLike[str], *, folders: "Iterable[str | os.PathLike[str]]" = ()) -> "Run":
        """Read a run from a file that `save` wrote, or from a folder that it was streamed to.

        All of it is checked: times that rise, finite numbers, quaternions of unit length. A folder is mapped: records
        stay on the disk until they are asked for. It holds what was flushed last, however its program ended.

        Parameters
        ----------
        path : path
            The file or folder.
        folders : iterable of paths
            Where the robot's meshes may be besides the run's own folder: what a run's file names elsewhere is not
            opened, and left out with a ModelWarning.

        Raises
        ------
        InputError
            There is no such file or folder, it is no run, or it is damaged; says which file and why.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import spacedyn as sd
        >>> robot = sd.load("ets7")
        >>> file = Path(tempfile.mkdtemp()) / "run.nc"
        >>> sd.simulate(robot, robot.neutral_state(), 1.0).save(file)
        >>> sd.Run.load(file, folders=["robots"]).status
        'done'
        """
        from .netcdf import load

        return load(Path(path), [Path(folder).absolute() for folder in folders])

    @checked_arguments("laws", "elements", "events")
    def resume(
        self,
        until: float | None = None,
        *,
        at: float | None = None,
        laws: "Law | Iterable[Law] | None" = None,
        elements: "Element | Law | Iterable[Element | Law] | None" = None,
        prescribed: Mapping[str, Any] | None = None,
        events: "Event | Iterable[Event] | None" = None,
        record: float | ArrayLike | str | None = None,
        stream: str | os.PathLike[str] | None = None,
        progress: bool = True,
    ) -> "Run":
        """Go on with the simulation, from the last checkpoint or an earlier record: bit for bit what would have been.

        Parameters
        ----------
        until : float, optional
            The time to go on to [s]; to where it was meant to go if left out.
        at : float, optional
            A recorded time [s] to go on from, instead of the end; later records are made again. Robots of a batch that
            had ended at a terminal event by then stay where they are; one robot alone goes on past it.
        laws : Law, optional
            Needed for a run that was read from a file, which holds their names and parameters but not their code: the
            same that made it.
        elements : Element or Law, optional
            The same for elements made by `element`, and for laws and joints' motions that came as elements. What else
            there is, is in the file; if it is given, it must be what made the run.
        prescribed : {joint: motion}, optional
            The same for joints that functions of time prescribed.
        events : Event, optional
            The same for events.
        record : float, times, 'steps', optional
            What to keep from there on; as before if left out.
        stream : path, optional
            A new folder to stream to. A run that is in a folder goes on there if neither this nor `at` is given.
        progress : bool
            Whether to show a progress bar.

        Returns
        -------
        Run
            The whole of it, what was recorded before included.

        Raises
        ------
        InputError
            Other laws or elements than those that made it, a time that was not recorded, checkpoints of another
            version, or a folder that another process is writing to. A damaged checkpoint is skipped for the one before
            it, with a RunWarning and a word in `notes`.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("ets7")
        >>> run = sd.simulate(robot, robot.state(qd=[0.1, 0, 0, 0, 0, 0]), 2.0)
        >>> again = run.resume(at=1.0)
        >>> bool((again.final.x == run.final.x).all())
        True
        >>> run.resume(until=3.0).time[-1]
        np.float64(3.0)
        """
        from .resume import resume

        folder = None if stream is None else Path(stream)
        return resume(self, until, at, laws, elements, prescribed, events, record, folder, progress)

    # --- to look at it -----------------------------------------------------------------------------------------------

    @checked_arguments()
    def plot(
        self,
        *names: str,
        against: "Run | Sequence[Run] | Mapping[str, Run]" = (),
        spectrum: bool = False,
        degrees: bool = False,
        style: str = "screen",
        width: float | str | None = None,
        columns: int | None = None,
    ) -> "Figure":
        """A figure with a panel for each quantity, labelled and with units.

        Parameters
        ----------
        names : str
            'q', 'qd', 'tau', 'base_position', 'base_attitude', 'momentum', 'energy', 'ledger', 'com' or any other
            variable of `data`; an endpoint or a body ('hand', 'hand.velocity', 'link2.attitude'); or one curve of these
            ('q.joint3'). What a person wants to see first if left out.
        against : Run, sequence or dict of Runs
            Others to compare with, drawn in other kinds of line.
        spectrum : bool
            Amplitudes over frequency instead of values over time.
        degrees : bool
            Angles in degrees.
        style : 'screen' or 'publication'
            The latter in a journal's column, with its fonts and line widths.
        width : float or 'single' or 'double'
            [inch], or a journal's one or two columns.
        columns : int, optional
            Of panels.

        Returns
        -------
        matplotlib.figure.Figure
            Of a batch: each robot, or the median and bands if there are many.

        Raises
        ------
        UnknownName
            If there is no such quantity; lists those that there are.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("ets7")
        >>> run = sd.simulate(robot, robot.state(qd=[0.1, 0, 0, 0, 0, 0]), 2.0)
        >>> figure = run.plot("q", "base_attitude", "hand.velocity")
        >>> [axes.get_ylabel() for axes in figure.axes]
        ['[rad]', '[rad]', '[m/s]']
        """
        from ..show.plots.figure import plot

        return plot(
            self, *names, against=against, spectrum=spectrum, degrees=degrees, style=style, width=width, columns=columns
        )

    def film(self, **options: Any) -> "Film":
        """A page that plays it in three dimensions beside its key plots; see `film` for the options.

        A notebook shows it; `.save("film.html")` writes it as one file that needs nothing else.
        """
        from ..show.viewer.film import film

        check_names("option of a film", options, keywords_of(film)[1:])
        return film(self, **options)

    @checked_arguments()
    def to_html(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write a film of it as one HTML file that opens offline, and return where; see `film` for the options.

        Examples
        --------
        >>> import tempfile
        >>> import spacedyn as sd
        >>> robot = sd.load("ets7")
        >>> run = sd.simulate(robot, robot.state(qd=[0.1, 0, 0, 0, 0, 0]), 2.0)
        >>> run.to_html(Path(tempfile.mkdtemp()) / "film.html", follow="hand").stat().st_size < 1_000_000
        True
        """
        return self.film(**options).save(path)

    def view(self, **options: Any) -> "Viewer":
        """Play it in the browser; see `view` for the options. A script waits here until Ctrl-C."""
        from ..show.viewer.live import view

        check_names("option of view()", options, keywords_of(view)[1:])
        return view(self, **options)

    # --- the ledger --------------------------------------------------------------------------------------------------

    def audit(self) -> Audit:
        """Check energy against work, and momentum against impulse, over this very run.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("planar_four_link")
        >>> run = sd.simulate(robot, robot.state(qd=[0.1, 0.2, -0.1, 0.3]), 1.0)
        >>> run.audit().worst < 1e-10
        True
        """
        auditor = Auditor(
            self.simulation.state.flattened().model, self.gravity, self._all_columns, self.simulation.robots
        )
        if self._ledger is not None:
            auditor.numbers[:] = self._ledger
        stepped = self.simulation.method.steps_through_contact
        least = lifting_energy(self.model, self.gravity) if stepped else 0.0
        return auditor.audit(self.simulation.budget, lambda: self._balance, least)

    @cached_property
    def _balance(self) -> dict[str, Array]:
        """Errors of energy and momentum over time, see `balances`."""
        missing = [name for name in LEDGER if name not in self._columns]
        if missing:
            raise InputError("the ledger was audited but not recorded; simulate with channels=['ledger', ...]")
        found = quantities(self.model, self.states, self.__getitem__, self.gravity)
        energy = found["kinetic"] + found["potential"] - (found["work"] - found["lost"])
        both = found["momentum"][0] - found["impulse"][0] if "momentum" in found else None
        return balances(found, energy[0], both)

    def check(self) -> None:
        """Warn, with the likely cause, if the ledger is off by more than its budget."""
        if self.time.size < 2:
            return
        audit = self.audit()
        if audit.within_budget:
            return
        if audit.contact > max(audit.budget, audit.energy, audit.linear_momentum, audit.angular_momentum):
            cause = "impulses of contacts were not found in as many sweeps; take more of them, or a shorter step"
        elif self.method.steps_through_contact:
            cause = (
                f"TimeStepping is of the first order, and a step of {self.method.step:g} s "  # type: ignore[attr-defined]
                f"gives that much here; if it is good enough, say so by budget="
                f"{10.0 ** np.ceil(np.log10(audit.worst)):g}, else take a shorter step"
            )
        elif not self.method.adaptive:
            step = self.method.step  # type: ignore[attr-defined]
            stiff = " or a spring too stiff for it" if self.model.flat.passive else ""
            cause = f"a step of {step:g} s is too long for this motion{stiff}; halve it, or use DormandPrince8()"
            cause += stiffness_note(self.model, self.final, self.elements, step)
        elif audit.constraints > audit.budget:
            held = ["prescribed or locked joints"] if self.simulation.joints else []
            held += ["loops"] if self.simulation.layout.rows else []
            cause = f"{' or '.join(held)} are not where they should be"
        elif audit.energy <= audit.budget:
            cause = "a force that the ledger does not know of"
        else:
            cause = "tolerances too loose for a run this long, or a force that jumps; tighten rtol and atol"
            moved = [f"'{name}'" for name, motion in self.simulation.prescribed.items() if not isinstance(motion, str)]
            if moved and not self.method.judges_works:
                cause += f"; or steps too long for the work of prescribed {', '.join(moved)}: give a max_step"
            own = [f"'{one.label}'" for one in self.elements if isinstance(one, UserElement) and one.declared.accounts]
            if own:
                cause += f"; or the accounts of {', '.join(own)} are not what it does: work, dissipated, stored"
        warn_user(f"the ledger is off by {audit.worst:.1e} ({audit.errors}): {cause}", RunWarning)
