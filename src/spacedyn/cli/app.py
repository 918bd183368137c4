"""The commands and their options. Nothing heavy is imported before a command needs it: `--help` is quick."""

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="spacedyn",
    help="Simulate space robots and other multibody systems with a moving base: from a file to a film.",
    epilog="Exit codes: 0 all is well, 1 what came out is not good, 2 what was asked for cannot be done. "
    "Try: spacedyn run ets7_reach --html film.html",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help, in a third of the time
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)

Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output instead of words.")]
Change = Annotated[
    list[str] | None,
    typer.Option(
        "--set", "-s", metavar="KEY=VALUE", help="Change the scenario: duration=20, laws.0.bandwidth=2. Repeatable."
    ),
]
Allow = Annotated[
    list[Path] | None,
    typer.Option(
        "--allow", metavar="FOLDER", help="What the file names (robots, meshes, laws) may lie here too. Repeatable."
    ),
]
Xacro = Annotated[bool, typer.Option("--xacro", help="A scenario's robot may be a xacro file, a program that is run.")]
Scenario = Annotated[str, typer.Argument(metavar="SCENARIO", help="A .toml file, or the name of a bundled scenario.")]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"spacedyn {sys.modules[__name__.partition('.')[0]].__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="The version, and nothing else.")
    ] = False,
) -> None:
    """Simulate space robots and other multibody systems with a moving base: from a file to a film."""


@app.command()
def run(
    scenario: Scenario,
    change: Change = None,
    allow: Allow = None,
    xacro: Xacro = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the run to a NetCDF file.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write a film: one HTML file that plays offline.")] = None,
    plots: Annotated[Path | None, typer.Option("--plots", help="Write the scenario's figures into a folder.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="The verdict alone.")] = False,
    json: Json = False,
) -> None:
    """Simulate a scenario, and write film, figures, numbers."""
    from .running import run_scenario
    from .source import Source

    run_scenario(Source(scenario, change or [], allow or [], xacro), out, html, plots, quiet, json)


@app.command()
def view(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="A scenario, a saved run (.nc) or a robot.")],
    change: Change = None,
    allow: Allow = None,
    xacro: Xacro = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a film instead of opening the viewer.")] = None,
    port: Annotated[
        int,
        typer.Option(min=1, max=65535, help="Where the viewer listens on this machine; the next, if that is taken."),
    ] = 8080,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Whether to open a page.")] = True,
    json: Json = False,
) -> None:
    """Look at a scenario, a run or a robot in the browser."""
    from .source import Source
    from .view_and_plot import view_what

    view_what(Source(what, change or [], allow or [], xacro), html, port, browser, json)


@app.command()
def plot(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="A scenario, or a saved run (.nc).")],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="q, base_attitude, hand, ledger, ...")
    ] = None,
    change: Change = None,
    allow: Allow = None,
    xacro: Xacro = False,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file: .png, .pdf, .svg.")] = Path("plot.png"),
    degrees: Annotated[bool, typer.Option("--degrees", help="Angles in degrees.")] = False,
    spectrum: Annotated[bool, typer.Option("--spectrum", help="Over frequency instead of time.")] = False,
    publication: Annotated[bool, typer.Option("--publication", help="In a journal's style.")] = False,
    json: Json = False,
) -> None:
    """Draw quantities of a scenario or of a saved run."""
    from .source import Source
    from .view_and_plot import plot_what

    source = Source(what, change or [], allow or [], xacro)
    plot_what(source, names or [], out, degrees, spectrum, publication, json)


@app.command()
def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Robots (.toml, .urdf, .xml) or scenarios.")],
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
    compile_laws: Annotated[bool, typer.Option("--compile", help="Compile scenarios' laws too.")] = False,
    allow: Allow = None,
    json: Json = False,
) -> None:
    """Find what is wrong in files of robots and scenarios."""
    from .files import check_files

    check_files(files, strict, compile_laws, allow or [], json)


@app.command()
def show(
    what: Annotated[
        str,
        typer.Argument(metavar="WHAT", help="A robot or a scenario, a name or a file; a ready-made law or an element."),
    ],
    allow: Allow = None,
    xacro: Xacro = False,
    json: Json = False,
) -> None:
    """Show a robot's tree, a scenario, what a law or an element takes."""
    from .files import show_what
    from .source import Source

    show_what(Source(what, [], allow or [], xacro), json)


@app.command()
def convert(
    source: Annotated[str, typer.Argument(help="A robot, a scenario, or a saved run.")],
    target: Annotated[
        Path, typer.Argument(help="Robots: .toml, .urdf. Scenarios: .toml, .py. Runs: .nc, .csv, .html.")
    ],
    change: Change = None,
    allow: Allow = None,
    xacro: Xacro = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Write over a file that is there.")] = False,
    json: Json = False,
) -> None:
    """Write a robot, scenario or run as another kind of file."""
    from .files import convert_file
    from .source import Source

    convert_file(Source(source, change or [], allow or [], xacro), target, force, json)


@app.command("list")
def list_things(
    what: Annotated[
        str | None, typer.Argument(metavar="[WHAT]", help="robots, scenarios, laws, motions, elements, methods.")
    ] = None,
    json: Json = False,
) -> None:
    """List robots, scenarios, laws, motions, elements, methods."""
    from .listing import list_all

    list_all(what, json)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Of the study; files NAME.toml, NAME.py, NAME_laws.py are written.")],
    robot: Annotated[str, typer.Option(help="A bundled robot.")] = "ets7",
    force: Annotated[bool, typer.Option("--force", "-f", help="Write over files that are there.")] = False,
    json: Json = False,
) -> None:
    """Start a study: a commented scenario, a law, a script."""
    from .new_and_bench import start_study

    start_study(name, robot, force, json)


@app.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def bench(context: typer.Context) -> None:
    """Measure speed against Pinocchio and MuJoCo."""
    from .new_and_bench import run_benchmarks

    run_benchmarks(context.args)


@app.command()
def doctor(json: Json = False) -> None:
    """Look at the environment: versions, extras, cache."""
    from .doctor import diagnose

    diagnose(json)


def main() -> None:
    """What `spacedyn` runs."""
    from .output import open_streams

    open_streams()
    app(prog_name="spacedyn")
