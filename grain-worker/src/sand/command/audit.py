"""`sand audit`: who changed what."""

import click

from sand.command.client import Platform
from sand.command.names import shown_names
from sand.command.options import output_option, server_option
from sand.command.output import say, show_json, show_table, when


@click.command("audit", short_help="Show who changed what.")
@click.option("--tenant", metavar="NAME", help="Another one's than yours; for the operator.")
@click.option("--application", metavar="NAME", help="Of this one alone.")
@click.option("--operation", metavar="ID", help="Of this one alone: deploy, moveAlias, … as in /openapi.yaml.")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@click.option("--before", metavar="ID", help="Older than this one, for paging.")
@output_option
@server_option
def audit_command(
    tenant: str | None,
    application: str | None,
    operation: str | None,
    limit: int,
    before: str | None,
    as_json: bool,
    platform: Platform,
) -> None:
    """Changes of what is deployed and of what runs, the newest first.

    \b
    Examples:
      sand audit
      sand audit --application shop --operation deploy
    """
    asked = {"tenant": tenant, "application": application, "operation": operation, "limit": limit, "before": before}
    found = platform.get("/api/v1/audit", **asked)
    if as_json:
        show_json(found)
        return
    shown = shown_names(platform, [entry.get("application") or "" for entry in found["entries"]])
    rows = [
        (
            when(entry["atMs"]),
            entry["caller"],
            entry.get("address"),
            entry["operation"],
            entry.get("application") and shown(entry["application"]),
            " ".join(f"{name}={value}" for name, value in sorted(entry["details"].items())),
            entry.get("problem") or entry.get("status"),
        )
        for entry in found["entries"]
    ]
    show_table(["when", "who", "from", "operation", "application", "details", "outcome"], rows)
    if found.get("next"):
        say(f"older ones: --before {found['next']}")
