"""`sand ps`: which hosts there are, and what runs on them."""

import click

from sand.command.client import Platform
from sand.command.options import output_option, server_option
from sand.command.output import show_json, show_table


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
    state = host.get("problem") or ("draining" if host.get("draining") else host.get("sandboxKind") or "ready")
    slots = len(place["slots"]) if "slots" in place else "all"
    busy = f"{place['busy']:.2f}" if "busy" in place else None
    return state, place.get("address"), ", ".join(place.get("labels", [])), slots, busy, len(host.get("sandboxes", []))
