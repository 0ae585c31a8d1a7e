"""`sand secrets …`: values that an application's grains read, and nobody else."""

import sys
from pathlib import Path

import click

from sand.command.client import Platform, application_path
from sand.command.options import output_option, server_option
from sand.command.output import say, show_json, show_table, when


@click.group("secrets", short_help="List, set and delete an application's secrets.")
def secrets_command() -> None:
    """Values that grains read with context.secret(NAME) when sand.yaml names them. They go in and never come out.

    \b
    Examples:
      sand secrets set shop PAYMENT_KEY < key.txt
      sand secrets set shop PAYMENT_KEY --file key.txt
      sand secrets list shop
      sand secrets delete shop PAYMENT_KEY

    An emulator (sand emulate) takes them from its environment instead.
    """


@secrets_command.command("list")
@click.argument("application")
@output_option
@server_option
def list_secrets(application: str, as_json: bool, platform: Platform) -> None:
    """The names of APPLICATION's secrets, never a value."""
    found = platform.get(application_path(application, "secrets"))
    if as_json:
        show_json(found)
        return
    show_table(["secret", "changed"], [(secret["name"], when(secret["changedMs"])) for secret in found["secrets"]])


@secrets_command.command("set")
@click.argument("application")
@click.argument("name")
@click.option("--file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The value; else standard input.")
@output_option
@server_option
def set_secret(application: str, name: str, file: Path | None, as_json: bool, platform: Platform) -> None:
    """Set NAME to what standard input or a file has, without the line break at its end: 8 characters to 64 KiB."""
    if file is None and sys.stdin.isatty():
        value = click.prompt("value", hide_input=True, err=True).encode()
    else:
        value = (file.read_bytes() if file else sys.stdin.buffer.read()).removesuffix(b"\n").removesuffix(b"\r")
    platform.call("PUT", application_path(application, "secrets", name), body=value, headers={"Content-Type": "text/plain"})
    if as_json:
        show_json({"name": name})
    else:
        say(f"{name} of {application} is set: its grains have it with their next request, in about a second")


@secrets_command.command("delete")
@click.argument("application")
@click.argument("name")
@output_option
@server_option
def delete_secret(application: str, name: str, as_json: bool, platform: Platform) -> None:
    """Forget NAME."""
    platform.send("DELETE", application_path(application, "secrets", name))
    if as_json:
        show_json({"name": name})
    else:
        say(f"{name} of {application} is gone")
