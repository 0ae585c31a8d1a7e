"""`sand keys …`: API keys, each for what its scopes say."""

from typing import Any

import click

from sand.command.client import Platform, path_to
from sand.command.options import output_option, server_option
from sand.command.output import say, show_json, show_table, when

PATH = "/api/v1/keys"


@click.group("keys", short_help="Make, list and revoke API keys.")
def keys_command() -> None:
    """Keys that open a platform with --operator-key, each for what its scopes say: invoke, deploy, read, admin.

    \b
    Examples:
      sand keys create ci --scopes deploy,invoke --expires 90d > ci.key
      SAND_KEY_FILE=ci.key sand deploy shop
      sand keys list
      sand keys revoke 3k9q0zr1ab7d
    """


@keys_command.command("create")
@click.argument("name")
@click.option(
    "--scopes", required=True, metavar="SCOPE[,…]", help="What it may: invoke, deploy, read, admin. None contains another."
)
@click.option("--expires", metavar="DURATION", help="For how long it is good, such as 90d; until it is revoked if not said.")
@output_option
@server_option
def create_key(name: str, scopes: str, expires: str | None, as_json: bool, platform: Platform) -> None:
    """Make a key for NAME, a few words on what it is for. It goes to standard output, this once."""
    wanted: dict[str, Any] = {"name": name, "scopes": [scope.strip() for scope in scopes.split(",")]}
    if expires is not None:
        wanted["expires"] = expires
    made = platform.send("POST", PATH, wanted)
    if as_json:
        show_json(made)
        return
    click.echo(made["key"])
    say(f"key {made['id']} may {', '.join(made['scopes'])}; it is not shown again")


@keys_command.command("list")
@output_option
@server_option
def list_keys(as_json: bool, platform: Platform) -> None:
    """Keys that are not revoked, and when they were last used; never a key itself."""
    found = platform.get(PATH)
    if as_json:
        show_json(found)
        return
    rows = [
        (
            key["id"],
            key["name"],
            ",".join(key["scopes"]),
            key["by"],
            when(key["createdMs"]),
            "never" if key["expiresMs"] is None else when(key["expiresMs"]),
            "never" if key["usedMs"] is None else when(key["usedMs"]),
        )
        for key in found["keys"]
    ]
    show_table(["id", "name", "scopes", "by", "created", "expires", "last used"], rows)


@keys_command.command("revoke")
@click.argument("id")
@output_option
@server_option
def revoke_key(id: str, as_json: bool, platform: Platform) -> None:
    """Revoke the key with this ID, for good. No frontend takes it once this has ended."""
    platform.send("DELETE", path_to(PATH, id))
    if as_json:
        show_json({"id": id})
    else:
        say(f"key {id} is good for nothing any more")
