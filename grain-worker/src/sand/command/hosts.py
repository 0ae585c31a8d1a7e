"""`sand ps`: which hosts there are, and what runs on them. `sand host …`: one taken out of service, and into it."""

import time

import click

from sand.command.client import Platform, path_to
from sand.command.failure import ExitCode, Failure
from sand.command.options import Seconds, output_option, server_option
from sand.command.output import say, show_json, show_table

PATH = "/api/v1/hosts"
LOOK_SECONDS = 0.5


@click.command("ps", short_help="Show the hosts, and what runs on them.")
@output_option
@server_option
def ps_command(as_json: bool, platform: Platform) -> None:
    """Show every host with its slots and load, and below them the grains of every sandbox.

    A host that does not answer is shown with the reason.
    """
    found = platform.get("/api/v1/status")
    if as_json:
        show_json(found)
        return
    hosts = found.get("hosts", [])
    show_table(
        ["host", "state", "address", "labels", "slots", "busy", "sandboxes"], [(host["host"], *about(host)) for host in hosts]
    )
    rows = [
        (
            *(host["host"], sandbox["application"], sandbox["version"], sandbox["state"].lower()),
            *(grain["grain"], grain["running"], grain["idle"], grain["queued"], grain["restarts"]),
        )
        for host in hosts
        for sandbox in host.get("sandboxes", [])
        for grain in sandbox.get("grains", [])
    ]
    if rows:
        click.echo()
        show_table(["host", "application", "version", "sandbox", "grain", "running", "idle", "queued", "restarts"], rows)


def about(host: dict) -> tuple:
    place = host.get("place") or {}
    draining = host.get("state", "draining") if host.get("draining") else None
    state = host.get("problem") or draining or host.get("sandboxKind") or "ready"
    slots = len(place["slots"]) if "slots" in place else "all"
    busy = f"{place['busy']:.2f}" if "busy" in place else None
    return state, place.get("address"), ", ".join(place.get("labels", [])), slots, busy, len(host.get("sandboxes", []))


@click.group("host", short_help="Take a host out of service, and into it again.")
def host_command() -> None:
    """A host that is drained takes nothing new and ends what runs; its cloud processes and what is left go to the others.

    \b
    Examples:
      sand host drain host-2 --wait 5m     nothing is on it any more: its machine may go
      sand host list                       what is left on each
      sand host resume host-2              it takes work again; so does one that is started again
    """


@host_command.command("list")
@output_option
@server_option
def list_hosts(as_json: bool, platform: Platform) -> None:
    """The hosts, and how much is on each."""
    found = platform.get(PATH)
    if as_json:
        show_json(found)
        return
    columns = ["slots", "sandboxes", "executions", "events"]
    rows = [
        (each["host"], each.get("problem") or each["state"], *("all" if each[name] is None else each[name] for name in columns))
        for each in found["hosts"]
    ]
    show_table(["host", "state", *columns], rows)


@host_command.command("drain")
@click.argument("host")
@click.option("--wait", type=Seconds(), metavar="DURATION", help="Until nothing is left on it, at most so long (30s, 10m).")
@output_option
@server_option
def drain(host: str, wait: float | None, as_json: bool, platform: Platform) -> None:
    """Take HOST out of service. Again, it changes nothing."""
    begun = platform.send("POST", path_to(PATH, host, "drain"))
    shown = begun if wait is None else _drained(host, begun, time.monotonic() + wait, platform)
    if as_json:
        show_json(shown)
    else:
        say(f"host '{host}' is {shown['state']}")


def _drained(host: str, shown: dict, until: float, platform: Platform) -> dict:
    while shown["state"] != "drained":
        if time.monotonic() > until:
            left = f"{shown['slots']} slots, {shown['executions']} executions and {shown['sandboxes']} sandboxes"
            raise Failure(
                ExitCode.TIMED_OUT, f"host '{host}' is {shown['state']} still", [f"it has {left}; it goes on draining"]
            )
        time.sleep(LOOK_SECONDS)
        shown = next((each for each in platform.get(PATH)["hosts"] if each["host"] == host), None)
        if shown is None:
            raise Failure(ExitCode.NOT_FOUND, f"host '{host}' is gone", ["it ended while it was drained"])
    return shown


@host_command.command("resume")
@click.argument("host")
@output_option
@server_option
def resume(host: str, as_json: bool, platform: Platform) -> None:
    """Take HOST into service again: it gets its part of the work within seconds."""
    shown = platform.send("POST", path_to(PATH, host, "resume"))
    if as_json:
        show_json(shown)
    else:
        say(f"host '{host}' takes work")
