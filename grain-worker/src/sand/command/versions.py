"""`sand versions` and `sand rollback`: versions are immutable, an alias says which of them is called."""

import click

from sand.command.client import Platform, application_path
from sand.command.options import output_option, server_option
from sand.command.output import say, show_json, show_table, when


@click.command("versions", short_help="List an application's versions and aliases.")
@click.argument("application")
@output_option
@server_option
def versions_command(application: str, as_json: bool, platform: Platform) -> None:
    """List the versions of APPLICATION, newest first, and the aliases that name them."""
    found = platform.get(application_path(application, "versions"))
    if as_json:
        show_json(found)
        return
    aliases = found.get("aliases", {})
    rows = [
        (v["version"], ", ".join(alias for alias, n in aliases.items() if n == v["version"]), when(v.get("createdMs")))
        for v in found["versions"]
    ]
    show_table(["version", "aliases", "deployed"], rows)


@click.command("rollback", short_help="Move an alias back to an earlier version.")
@click.argument("application")
@click.option("--to", "version", type=click.IntRange(min=1), help="The version; by default the one before.")
@click.option("--alias", default="live", show_default=True)
@output_option
@server_option
def rollback_command(application: str, version: int | None, alias: str, as_json: bool, platform: Platform) -> None:
    """Move ALIAS of APPLICATION to an earlier version. Executions in flight end on the version they began with.

    \b
    Examples:
      sand rollback hello
      sand rollback hello --to 3
    """
    wish = {"alias": alias} if version is None else {"alias": alias, "version": version}
    moved = platform.send("POST", application_path(application, "rollback"), wish)
    if as_json:
        show_json(moved)
    else:
        say(f"{alias} of {application} is version {moved['version']}")
