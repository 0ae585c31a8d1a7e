"""`sand list`, `sand describe` and `sand delete`: which applications there are."""

import click

from sand.command.client import Platform, application_path
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
    rows = [
        (app["name"], app.get("live"), app.get("versions"), ", ".join(app.get("grains", [])), when(app.get("createdMs")))
        for app in found["applications"]
    ]
    show_table(["application", "live", "versions", "grains", "deployed"], rows)


@click.command("describe", short_help="Show an application: its grains, workflows, routes and limits.")
@click.argument("application", metavar="APP[@VERSION]")
@output_option
@server_option
def describe_command(application: str, as_json: bool, platform: Platform) -> None:
    """Show what the platform knows of an application.

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
            "version": found.get("version"),
            "aliases": ", ".join(f"{alias} → {number}" for alias, number in found.get("aliases", {}).items()),
            "deployed": when(found.get("createdMs")),
            "sandbox": f"memory {size(sandbox.get('memoryBytes'))}, cpus {sandbox.get('cpus') or 'all'}, "
            f"pids {sandbox.get('pids')}, network {'yes' if sandbox.get('network') else 'no'}",
            "workflows": ", ".join(found.get("workflows", {})),
        }
    )
    click.echo()
    show_table(
        ["grain", "entry", "isolation", "timeout", "concurrency", "memory"],
        [
            (g["name"], g["entry"], g["isolation"].lower(), f"{g['timeoutMs']} ms", g["concurrency"], size(g["memoryBytes"]))
            for g in found.get("grains", {}).values()
        ],
    )
    if found.get("routes"):
        click.echo()
        show_table(["method", "path", "target"], [(r["method"], r["path"], r["target"]) for r in found["routes"]])


@click.command("delete", short_help="Delete an application with all that belongs to it.")
@click.argument("application")
@click.option("--yes", is_flag=True, help="Do not ask.")
@server_option
def delete_command(application: str, yes: bool, platform: Platform) -> None:
    """Delete an application: its versions, data, logs and invocations. There is no way back."""
    if not yes:
        click.confirm(f"Delete '{application}' with its versions, data and logs?", abort=True, err=True)
    platform.call("DELETE", application_path(application))
    say(f"deleted {application}")
