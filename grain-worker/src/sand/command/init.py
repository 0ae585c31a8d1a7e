"""`sand init`: a small application that works, to begin from."""

import re
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from sand.command.failure import ExitCode, Failure
from sand.command.options import output_option
from sand.command.output import say, show_json

NAME = re.compile(r"(?=.{1,63}$)[a-z](-?[a-z0-9])*-?")


@click.command("init", short_help="Write a small application to begin from.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--name", help="The application's name; by default the folder's.")
@output_option
def init_command(folder: Path, name: str | None, as_json: bool) -> None:
    """Write a new application into FOLDER: two grains, a workflow that joins them, a route, and a test.

    \b
    Example:
      sand init hello
      sand deploy hello
      sand invoke hello/main --data '{"name": "Ada"}'
    """
    name = name or folder.resolve().name
    if not NAME.fullmatch(name):
        raise click.BadParameter(
            f"'{name}' is not an application's name: a lower-case letter, then letters, digits and dashes, 63 at most",
            param_hint="--name",
        )
    if folder.exists() and any(folder.iterdir()):
        raise Failure(ExitCode.CONFLICT, f"{folder} is not empty")
    try:
        written = _copy(resources.files("sand.command") / "template", folder, name)
    except OSError as e:
        raise click.UsageError(f"cannot write {e.filename or folder}: {e.strerror}") from e
    for path in written:
        say(f"wrote {path}")
    if as_json:
        show_json({"application": name, "folder": str(folder), "files": [str(path) for path in written]})
    say(f'\nsand deploy {folder} && sand invoke {name}/main --data \'{{"name": "Ada"}}\'')


def _copy(source: Traversable, target: Path, name: str) -> list[Path]:
    written = []
    target.mkdir(parents=True, exist_ok=True)
    for entry in sorted(source.iterdir(), key=lambda entry: entry.name):
        if entry.name == "__pycache__":
            continue
        path = target / entry.name
        if entry.is_dir():
            written += _copy(entry, path, name)
        else:
            path.write_text(entry.read_text().replace("@NAME@", name))
            written.append(path)
    return written
