"""`sand events …`: what a grain or a workflow is tested with, saved for everybody who tests it."""

from pathlib import Path
from typing import Any

import click
import httpx

from sand.command.client import Platform, application_path
from sand.command.failure import Failure
from sand.command.inputs import read_input
from sand.command.options import output_option, server_option, split_target
from sand.command.output import check_place, say, show_bytes, show_json, show_table, write_file


@click.group("events", short_help="List, read, save and delete events that grains and workflows are tested with.")
def events_command() -> None:
    """Events by name: those that were saved, here or in the GUI, and files tests/events/TARGET/NAME.json of the application.

    TARGET is a grain or a workflow. A saved one is taken in the place of a file of its name.
    `sand invoke APP/TARGET --event NAME` calls with one.

    \b
    Examples:
      sand events list shop/order
      sand events save shop/order late --data '{"item": "tea"}'
      sand events get shop/order late --out shop/tests/events/order/late.json
      sand events delete shop/order late
    """


@events_command.command("list")
@click.argument("target", metavar="APP/TARGET[@VERSION]")
@output_option
@server_option
def list_events(target: str, as_json: bool, platform: Platform) -> None:
    """The names of its events; of the files those of VERSION, or of live."""
    found = call(platform, "GET", target).json()
    if as_json:
        show_json(found)
        return
    rows = [(event["name"], event["saved"], event["file"]) for event in found["events"]]
    show_table(["event", "saved", f"file of version {found['version']}"], rows)


@events_command.command("get")
@click.argument("target", metavar="APP/TARGET[@VERSION]")
@click.argument("name")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write it to this file.")
@server_option
def get_event(target: str, name: str, out: Path | None, platform: Platform) -> None:
    """The event NAME as it is."""
    check_place(out)
    content = read_event(platform, target, name)
    if out is None:
        show_bytes(content, "application/json")
        return
    write_file(out, content)
    say(f"{name} is in {out}")


@events_command.command("save")
@click.argument("target", metavar="APP/TARGET")
@click.argument("name")
@click.option("-d", "--data", required=True, help="The event: JSON, @FILE, or - for stdin.")
@output_option
@server_option
def save_event(target: str, name: str, data: str, as_json: bool, platform: Platform) -> None:
    """Save an event under NAME, in the place of the one that was there."""
    body, _ = read_input(data, None)
    saved = call(platform, "PUT", target, name, body=body, headers={"Content-Type": "application/json"}).json()
    if as_json:
        show_json(saved)
    else:
        say(f"{name} of {target} is saved")


@events_command.command("delete")
@click.argument("target", metavar="APP/TARGET")
@click.argument("name")
@output_option
@server_option
def delete_event(target: str, name: str, as_json: bool, platform: Platform) -> None:
    """Delete the saved event NAME. A file of that name stays."""
    call(platform, "DELETE", target, name)
    if as_json:
        show_json({"name": name})
    else:
        say(f"{name} of {target} is gone")


def read_event(platform: Platform, target: str, name: str) -> bytes:
    """:param target: as in `sand invoke`: its version is that whose files count"""
    return call(platform, "GET", target, name).content


def call(platform: Platform, method: str, target: str, *name: str, **request: Any) -> httpx.Response:
    """About the events of APP/TARGET[@VERSION]: a grain's, or when there is none, or no such event of one, a workflow's."""
    application, named = split_target(target)
    of, _, version = named.partition("@")
    query = {"version": version or None}
    try:
        return platform.call(method, application_path(application, "grains", of, "events", *name), query=query, **request)
    except Failure as refused:
        if kind_of(refused) not in ("unknown-target", "unknown-event"):
            raise
        try:
            return platform.call(
                method, application_path(application, "workflows", of, "events", *name), query=query, **request
            )
        except Failure as other:
            # That there is no workflow of a grain's name says nothing.
            raise (refused if kind_of(other) == "unknown-target" else other) from None


def kind_of(failure: Failure) -> str:
    """The last part of the problem's type; "": it is none of the platform's."""
    return str((failure.problem or {}).get("type", "")).rpartition("/")[2]
