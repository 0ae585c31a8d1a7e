"""`sand list`, `sand describe` and `sand delete`: which applications there are."""

import sys

import click

from sand.command.client import Platform, application_path
from sand.command.names import shown_names
from sand.command.options import output_option, server_option
from sand.command.output import say, show_fields, show_json, show_table, size, when


@click.command("list", short_help="List the applications.")
@output_option
@server_option
def list_command(as_json: bool, platform: Platform) -> None:
    """List the applications of the platform, with the version that 'live' names."""
    found = platform.get("/api/v1/applications")
    if as_json:
        show_json(found)
        return
    shown = shown_names(platform, [app["name"] for app in found["applications"]])
    rows = [
        (shown(app["name"]), app.get("live"), app.get("versions"), ", ".join(app.get("grains", [])), when(app.get("createdMs")))
        for app in found["applications"]
    ]
    show_table(["application", "live", "versions", "grains", "deployed"], rows)


@click.command("describe", short_help="Show an application: its grains, workflows, routes and limits.")
@click.argument("application", metavar="APP[@VERSION]")
@output_option
@server_option
def describe_command(application: str, as_json: bool, platform: Platform) -> None:
    """Show what the platform knows of an application: '-' under memory is the default, 7/8 of the sandbox's.

    \b
    Example:
      sand describe image-pipeline@2 -o json
    """
    name, _, version = application.partition("@")
    path = application_path(name, "versions", version) if version else application_path(name)
    found = platform.get(path)
    if as_json:
        show_json(found)
        return
    sandbox = found.get("sandbox", {})
    show_fields(
        {
            "application": found.get("application") or found.get("name"),
            **({"description": found["description"]} if found.get("description") else {}),
            "version": found.get("version"),
            "aliases": ", ".join(f"{alias} → {number}" for alias, number in found.get("aliases", {}).items()),
            "deployed": when(found.get("createdMs")),
            "sandbox": f"memory {size(sandbox.get('memoryBytes'))}, cpus {sandbox.get('cpus') or 'all'}, "
            f"pids {sandbox.get('pids')}, network {'yes' if sandbox.get('network') else 'no'}",
            "workflows": ", ".join(found.get("workflows", {})),
            "placement": placement(found.get("placements", {}).get("")),
        }
    )
    click.echo()
    show_table(
        ["grain", "entry", "isolation", "timeout", "concurrency", "memory", "placement"],
        [
            (
                *(g["name"], g["entry"], g["isolation"].lower(), f"{g['timeoutMs']} ms", g["concurrency"]),
                *(size(g["memoryBytes"]), placement(found.get("placements", {}).get(g["name"]))),
            )
            for g in found.get("grains", {}).values()
        ],
    )
    if found.get("routes"):
        click.echo()
        show_table(["method", "path", "target"], [(r["method"], r["path"], r["target"]) for r in found["routes"]])


def placement(said: dict | None) -> str:
    """Where it may run, in a few words; of a grain that says nothing, the application's holds."""
    if not said:
        return "-"
    words = [" or ".join(said.get("hosts", [])), *(f"label {label}" for label in said.get("labels", []))]
    return ", ".join(word for word in words if word)


@click.command("delete", short_help="Delete an application with all that belongs to it.")
@click.argument("application")
@click.option("--yes", is_flag=True, help="Do not ask.")
@output_option
@server_option
def delete_command(application: str, yes: bool, as_json: bool, platform: Platform) -> None:
    """Delete an application: its versions, data, logs and invocations. There is no way back."""
    path = application_path(application)
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("nobody is there to be asked: say --yes")
        click.confirm(f"Delete '{application}' with its versions, data and logs?", abort=True, err=True)
    platform.call("DELETE", path)
    say(f"deleted {application}")
    if as_json:
        show_json({"application": application, "deleted": True})
