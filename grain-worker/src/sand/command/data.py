"""`sand data …`: what an application's grains share as context.data."""

import sys
from pathlib import Path

import click

from sand.command.client import Platform, application_path
from sand.command.options import output_option, server_option
from sand.command.output import say, show_bytes, show_json, show_table

# As large as a grain may put one.
_MOST_BYTES = 64 << 20


@click.group("data", short_help="List, read and change what an application's grains share.")
def data_command() -> None:
    """Values under keys, as grains have them with context.data.

    \b
    Examples:
      sand data list shop --prefix order/
      sand data get shop order/7
      sand data put shop order/7 --file order.json --version 3
      sand data delete shop order/7
    """


@data_command.command("list")
@click.argument("application")
@click.option("--prefix", default="", help="Only keys that begin with it.")
@click.option("--after", help="Where to go on: the last key of the page before.")
@click.option("--limit", type=click.IntRange(1, 1000), default=100, show_default=True)
@output_option
@server_option
def list_data(application: str, prefix: str, after: str | None, limit: int, as_json: bool, platform: Platform) -> None:
    """APPLICATION's keys, in byte order."""
    found = platform.get(application_path(application, "data"), prefix=prefix or None, after=after, limit=limit)
    if as_json:
        show_json(found)
        return
    show_table(["key"], [(key,) for key in found["keys"]])
    if found["next"] is not None:
        say(f"there are more: --after {found['next']}")


@data_command.command("get")
@click.argument("application")
@click.argument("key")
@server_option
def get_data(application: str, key: str, platform: Platform) -> None:
    """KEY's value as it is, on standard output; its version on standard error."""
    response = platform.call(
        "GET", application_path(application, "data", "value"), query={"key": key, "most": str(_MOST_BYTES)}
    )
    say(f"version {response.headers['etag'].strip(chr(34))}")
    show_bytes(response.content, response.headers.get("content-type", ""))


@data_command.command("put")
@click.argument("application")
@click.argument("key")
@click.option("--file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The value; else standard input.")
@click.option("--content-type", default="application/json", show_default=True)
@click.option("--version", type=click.IntRange(0), help="The one that is replaced; 0: there is none. Else whichever.")
@output_option
@server_option
def put_data(
    application: str, key: str, file: Path | None, content_type: str, version: int | None, as_json: bool, platform: Platform
) -> None:
    """Set KEY to what standard input or a file has."""
    body = file.read_bytes() if file else sys.stdin.buffer.read()
    headers = {"Content-Type": content_type} | expecting(version)
    path = application_path(application, "data", "value")
    put = platform.call("PUT", path, query={"key": key}, body=body, headers=headers).json()
    if as_json:
        show_json(put)
    else:
        say(f"{key} has version {put['version']}")


@data_command.command("delete")
@click.argument("application")
@click.argument("key")
@click.option("--version", type=click.IntRange(1), help="The one that is deleted. Else whichever.")
@output_option
@server_option
def delete_data(application: str, key: str, version: int | None, as_json: bool, platform: Platform) -> None:
    """Delete KEY."""
    platform.call("DELETE", application_path(application, "data", "value"), query={"key": key}, headers=expecting(version))
    if as_json:
        show_json({"key": key})
    else:
        say(f"{key} is gone")


def expecting(version: int | None) -> dict[str, str]:
    if version is None:
        return {}
    return {"If-Match": f'"{version}"'} if version else {"If-None-Match": "*"}
