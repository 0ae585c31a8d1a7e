"""`sand events …`: what a grain is tested with, saved for everybody who tests it."""

from pathlib import Path

import click

from sand.command.client import Platform, application_path
from sand.command.inputs import read_input
from sand.command.options import output_option, server_option, split_target
from sand.command.output import check_place, say, show_bytes, show_json, show_table, write_file


@click.group("events", short_help="List, read, save and delete events that grains are tested with.")
def events_command() -> None:
    """Events by name: those that were saved, here or in the GUI, and the files tests/events/GRAIN/NAME.json of the application.

    A saved one is taken in the place of a file of its name. `sand invoke APP/GRAIN --event NAME` calls with one.

    \b
    Examples:
      sand events list shop/order
      sand events save shop/order late --data '{"item": "tea"}'
      sand events get shop/order late --out shop/tests/events/order/late.json
      sand events delete shop/order late
    """


@events_command.command("list")
@click.argument("grain", metavar="APP/GRAIN[@VERSION]")
@output_option
@server_option
def list_events(grain: str, as_json: bool, platform: Platform) -> None:
    """The names of a grain's events; of its files those of VERSION, or of live."""
    path, version = events_path(grain)
    found = platform.get(path, version=version)
    if as_json:
        show_json(found)
        return
    rows = [(event["name"], event["saved"], event["file"]) for event in found["events"]]
    show_table(["event", "saved", f"file of version {found['version']}"], rows)


@events_command.command("get")
@click.argument("grain", metavar="APP/GRAIN[@VERSION]")
@click.argument("name")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write it to this file.")
@server_option
def get_event(grain: str, name: str, out: Path | None, platform: Platform) -> None:
    """The event NAME as it is."""
    check_place(out)
    content = read_event(platform, grain, name)
    if out is None:
        show_bytes(content, "application/json")
        return
    write_file(out, content)
    say(f"{name} is in {out}")


@events_command.command("save")
@click.argument("grain", metavar="APP/GRAIN")
@click.argument("name")
@click.option("-d", "--data", required=True, help="The event: JSON, @FILE, or - for stdin.")
@output_option
@server_option
def save_event(grain: str, name: str, data: str, as_json: bool, platform: Platform) -> None:
    """Save an event under NAME, in the place of the one that was there."""
    body, _ = read_input(data, None)
    path, version = events_path(grain, name)
    headers = {"Content-Type": "application/json"}
    saved = platform.call("PUT", path, query={"version": version}, body=body, headers=headers).json()
    if as_json:
        show_json(saved)
    else:
        say(f"{name} of {grain} is saved")


@events_command.command("delete")
@click.argument("grain", metavar="APP/GRAIN")
@click.argument("name")
@output_option
@server_option
def delete_event(grain: str, name: str, as_json: bool, platform: Platform) -> None:
    """Delete the saved event NAME. A file of that name stays."""
    path, version = events_path(grain, name)
    platform.call("DELETE", path, query={"version": version})
    if as_json:
        show_json({"name": name})
    else:
        say(f"{name} of {grain} is gone")


def read_event(platform: Platform, grain: str, name: str) -> bytes:
    """:param grain: as in `sand invoke`: its version is that whose files count"""
    path, version = events_path(grain, name)
    return platform.call("GET", path, query={"version": version}).content


def events_path(grain: str, *rest: str) -> tuple[str, str | None]:
    """The path of APP/GRAIN[@VERSION], and the version."""
    application, target = split_target(grain)
    name, _, version = target.partition("@")
    return application_path(application, "grains", name, "events", *rest), version or None
