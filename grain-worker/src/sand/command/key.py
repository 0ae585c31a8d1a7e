"""The key of a platform that asks for one, and where it comes from. It is sent as a header, and never shown."""

import json
import os
from pathlib import Path
from typing import Any

import click

from sand.command.failure import ExitCode, Failure
from sand.command.program import default_home

KEY, KEY_FILE = "SAND_KEY", "SAND_KEY_FILE"


def key_of(server: str) -> str | None:
    """SAND_KEY, else what the file named by SAND_KEY_FILE has, else that of this machine's cluster when it is the server.

    :raises Failure: the file cannot be read, or what there is cannot be a key
    """
    if os.environ.get(KEY):
        return _checked(os.environ[KEY], KEY)
    if os.environ.get(KEY_FILE):
        file = os.environ[KEY_FILE]
        try:
            return _checked(Path(file).read_text(errors="replace"), file)
        except OSError as e:
            raise Failure(ExitCode.USAGE, f"the key file {file} cannot be read: {e.strerror}") from e
    return _of_cluster(server)


def cluster_home() -> Path:
    """Where `./sand cluster` keeps its cluster unless told otherwise."""
    return default_home() / "cluster"


def _checked(text: str, where: str) -> str:
    key = text.strip()
    if not key.isascii() or not key.isprintable() or " " in key or not key:
        raise Failure(ExitCode.USAGE, f"{where} has no key: one is a line of ASCII without spaces")
    return key


def _of_cluster(server: str) -> str | None:
    home = cluster_home()
    try:
        listen = json.loads((home / "cluster.json").read_text())["listen"]
        return (home / "operator.key").read_text().strip() or None if server == f"http://{listen}" else None
    except (OSError, ValueError, KeyError):
        return None


# In the environment: no grain of the management is in the way of what is asked.
DIRECT = "SAND_DIRECT"


def key_file_option(command: Any) -> Any:
    """--key-file: the file that SAND_KEY_FILE names otherwise."""
    return click.option(
        "--key-file",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False),
        expose_value=False,
        callback=_named,
        help=f"The platform's key, where it asks for one.  [env: {KEY_FILE}, or {KEY} for the key itself]",
    )(command)


def _named(_context: click.Context, _option: click.Parameter, file: str | None) -> None:
    """For whatever asks a platform in this program, and in those that it starts."""
    if file is not None:
        os.environ[KEY_FILE] = file
        os.environ.pop(KEY, None)
