"""Options and arguments that many commands share."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from sand.command.client import DEFAULT_SERVER, Platform


def server_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--server, given to the command as an open `platform`. It may also stand before the subcommand."""

    @click.option(
        "--server",
        envvar="SAND_SERVER",
        show_envvar=True,
        metavar="URL",
        help=f"Address of the platform.  [default: {DEFAULT_SERVER}]",
    )
    @click.pass_context
    @wraps(command)
    def with_platform(context: click.Context, *args: Any, server: str | None, **kwargs: Any) -> Any:
        with Platform(context.find_root().params.get("server") or server or DEFAULT_SERVER) as platform:
            return command(*args, platform=platform, **kwargs)

    return with_platform


def output_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """-o table|json, given to the command as `as_json`."""

    @click.option(
        "-o",
        "output",
        type=click.Choice(["table", "json"]),
        default="table",
        show_default=True,
        help="How data is written to stdout.",
    )
    @wraps(command)
    def with_output(*args: Any, output: str, **kwargs: Any) -> Any:
        return command(*args, as_json=output == "json", **kwargs)

    return with_output


def split_target(text: str) -> tuple[str, str]:
    """APP/TARGET[@VERSION] as (application, target with its qualifier)."""
    application, slash, target = text.partition("/")
    if not slash or not application or not target:
        raise click.BadParameter(f"'{text}' is not APP/TARGET, for example hello/greet or hello/greet@3")
    return application, target
