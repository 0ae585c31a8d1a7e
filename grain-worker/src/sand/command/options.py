"""Options and arguments that many commands share."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from sand.command.client import DEFAULT_SERVER, Platform
from sand.command.failure import Failure
from sand.command.key import key_file_option
from sand.emulator.quantities import size


def server_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--server and --key-file, given to the command as an open `platform`. They may also stand before the subcommand."""

    @click.option(
        "--server",
        envvar="SAND_SERVER",
        show_envvar=True,
        metavar="URL",
        help=f"Address of the platform.  [default: {DEFAULT_SERVER}]",
    )
    @key_file_option
    @click.pass_context
    @wraps(command)
    def with_platform(context: click.Context, *args: Any, server: str | None, **kwargs: Any) -> Any:
        with Platform(chosen_server(context, server) or DEFAULT_SERVER) as platform:
            return command(*args, platform=platform, **kwargs)

    return with_platform


def chosen_server(context: click.Context, server: str | None) -> str | None:
    """What stands before the subcommand, else behind it or in SAND_SERVER; None when nobody named one."""
    return context.find_root().params.get("server") or server


_UNITS = {"ms": 0.001, "s": 1, "": 1, "m": 60, "h": 3600, "d": 86400}


class Seconds(click.ParamType):
    """A duration as people write them: 30, 1.5, 500ms, 30s, 10m, 1h, 1d. A bare number is seconds."""

    name = "duration"

    def __init__(self, least: float = 0.001) -> None:
        self._least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)([a-z]*)", str(value).strip())
        if found is None or found.group(2) not in _UNITS:
            self.fail(f"'{value}' is not a duration like 1.5 (seconds), 500ms, 30s or 10m", param, ctx)
        seconds = float(found.group(1)) * _UNITS[found.group(2)]
        if seconds < self._least:
            self.fail(f"'{value}' is too short", param, ctx)
        return seconds


class Size(click.ParamType):
    """Bytes as people write them: 1000, 512MiB, 1.5GiB."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return size(value)
        except ValueError as e:
            self.fail(str(e), param, ctx)


def output_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """-o table|json, given to the command as `as_json`."""

    @click.option(
        "-o",
        "output",
        type=click.Choice(["table", "json"]),
        default="table",
        show_default=True,
        help="How data, and what failed, is written to stdout.",
    )
    @wraps(command)
    def with_output(*args: Any, output: str, **kwargs: Any) -> Any:
        try:
            return command(*args, as_json=output == "json", **kwargs)
        except Failure as failed:
            failed.as_json = output == "json"
            raise

    return with_output


def split_target(text: str) -> tuple[str, str]:
    """APP/TARGET[@VERSION] as (application, target with its qualifier)."""
    application, slash, target = text.partition("/")
    if not slash or not application or not target or "/" in target:
        raise click.BadParameter(f"'{text}' is not APP/TARGET, for example hello/greet or hello/greet@3")
    return application, target
