"""`sand emulate`: serves an application folder over the platform's HTTP interface, from this process alone."""

import contextlib
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from sand.command.failure import Failure, of_problem
from sand.command.logs import show_logs
from sand.command.options import output_option
from sand.command.output import say

if TYPE_CHECKING:
    from sand.emulator.emulator import Emulator

DEFAULT_PORT = 7263
LOOK_SECONDS = 1


@click.command("emulate", short_help="Serve a folder without a platform: no Java, no containers.")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@click.option("--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="0: any that is free.")
@click.option(
    "--debug", is_flag=True, help="Run handlers in this process, one at a time, and let nothing be late: for breakpoints."
)
@click.option("--no-reload", is_flag=True, help="Keep serving the files as they are now.")
@output_option
def emulate_command(folder: Path, port: int, debug: bool, no_reload: bool, as_json: bool) -> None:
    """Serve the application in FOLDER as a platform would, and serve it anew whenever a file of it changes.

    What grains write is shown as it comes. Data is in memory, and gone at the end.

    \b
    Example:
      sand emulate hello
      sand invoke hello/greet --data '{"name": "Ada"}'
    """
    from sand.emulator.emulator import Emulator
    from sand.emulator.forked import ForkedGrains
    from sand.emulator.inline import DebuggedGrains
    from sand.emulator.problems import Problem

    terminal = sys.stdout

    def show(line: dict[str, Any]) -> None:
        # While a handler runs in this process, its output is what sys.stdout is.
        with contextlib.redirect_stdout(terminal):
            show_logs([line], as_json)

    try:
        emulator = Emulator(port, DebuggedGrains if debug else ForkedGrains, show)
    except OSError as taken:
        raise click.UsageError(f"port {port} cannot be had: {taken.strerror}; --port chooses another") from None
    with _ending_when_terminated(), emulator:
        try:
            application, version = emulator.applications.load(folder)
        except Problem as problem:
            raise of_problem(problem.status, problem.document()) from None
        say(f"{application.name} is served at {emulator.url}; Ctrl-C ends it")
        for target in (*version.manifest.grains, *version.manifest.workflows):
            say(f"  POST {emulator.url}/invoke/{application.name}/{target}")
        for route in version.manifest.routes:
            say(f"  {route.method:<4} {emulator.url}/web/{application.name}{route.path}")
        while no_reload:
            # A signal that comes just before a wait begins does not end it.
            time.sleep(LOOK_SECONDS)
        _reload(emulator, folder)


@contextlib.contextmanager
def _ending_when_terminated() -> Iterator[None]:
    """SIGTERM ends what is within as Ctrl-C does, so that whoever runs its grains ends too; the exit code is that of SIGTERM. A
    second one ends the process at once."""
    terminated = False

    def end(number: int, _: FrameType | None) -> None:
        nonlocal terminated
        terminated = True
        signal.signal(number, signal.SIG_DFL)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except KeyboardInterrupt:
        if not terminated:
            raise
        sys.exit(128 + signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def _reload(emulator: "Emulator", folder: Path) -> None:
    """Until it is interrupted. A change that is not valid is told with its reason; what was before goes on."""
    from watchfiles import watch

    from sand.command.dev import _belongs
    from sand.emulator.problems import Problem

    for _ in watch(folder, watch_filter=lambda _, path: _belongs(folder, Path(path)), raise_interrupt=True):
        try:
            _, version = emulator.applications.load(folder)
            say(f"reloaded: version {version.number}")
        except Problem as problem:
            failure: Failure = of_problem(problem.status, problem.document())
            say(f"not reloaded: {failure.title}")
            for line in failure.lines:
                say(f"  {line}")
