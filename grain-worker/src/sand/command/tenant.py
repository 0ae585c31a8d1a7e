"""`sand tenant …`: namespaces of applications, with members, keys and quotas of their own."""

import click

from sand.command.client import Platform, path_to
from sand.command.options import output_option, server_option
from sand.command.output import say, show_json, show_table, when

PATH = "/api/v1/tenants"
tenant_option = click.option("--tenant", help="Whose; the one that you act in if not said.")


def path_of(tenant: str | None, platform: Platform) -> str:
    """Of the tenant, or of the one in which whoever asks acts."""
    return path_to(PATH, tenant or platform.get("/api/v1/session")["tenant"])


@click.group("tenant", short_help="Make tenants, suspend them, act in another.")
def tenant_command() -> None:
    """Tenants, whose applications, members, keys and quotas are apart. Making and changing them is the operator's.

    \b
    Examples:
      sand tenant create acme --title "ACME Ltd."
      sand account invite --tenant acme --role owner
      sand tenant use acme                      you have signed in, and belong to it: your commands are for it now
    """


@tenant_command.command("list")
@output_option
@server_option
def list_tenants(as_json: bool, platform: Platform) -> None:
    """Those that you belong to; all, for the operator."""
    found = platform.get(PATH)
    if as_json:
        show_json(found)
        return
    rows = [(each["tenant"], each["title"], each["state"], when(each["createdMs"])) for each in found["tenants"]]
    show_table(["tenant", "title", "state", "created"], rows)


@tenant_command.command("create")
@click.argument("name")
@click.option("--title", help="What it is called where people read it; its name if not said.")
@output_option
@server_option
def create_tenant(name: str, title: str | None, as_json: bool, platform: Platform) -> None:
    """Make tenant NAME: from two to twenty small letters and digits."""
    made = platform.send("POST", PATH, {"name": name} if title is None else {"name": name, "title": title})
    if as_json:
        show_json(made)
        return
    say(f"there is a tenant '{name}': sand account invite --tenant {name} --role owner")


@tenant_command.command("suspend")
@click.argument("name")
@output_option
@server_option
def suspend(name: str, as_json: bool, platform: Platform) -> None:
    """Its keys and sessions open nothing from now on; what it has stays."""
    _change(platform, name, "suspended", as_json)


@tenant_command.command("resume")
@click.argument("name")
@output_option
@server_option
def resume(name: str, as_json: bool, platform: Platform) -> None:
    """Take back a suspension."""
    _change(platform, name, "active", as_json)


def _change(platform: Platform, name: str, state: str, as_json: bool) -> None:
    changed = platform.send("PUT", path_to(PATH, name), {"state": state})
    if as_json:
        show_json(changed)
    else:
        say(f"tenant '{name}' is {state}")


@tenant_command.command("delete")
@click.argument("name")
@output_option
@server_option
def delete_tenant(name: str, as_json: bool, platform: Platform) -> None:
    """One without applications, with its keys, invitations and its members' places."""
    platform.send("DELETE", path_to(PATH, name))
    if as_json:
        show_json({})
    else:
        say(f"there is no tenant '{name}' any more")


@tenant_command.command("use")
@click.argument("name")
@output_option
@server_option
def use_tenant(name: str, as_json: bool, platform: Platform) -> None:
    """Let your session (sand login) act in NAME from now on. A key is of one tenant for good."""
    session = platform.send("PUT", "/api/v1/session", {"tenant": name})
    if as_json:
        show_json(session)
    else:
        say(f"you act in tenant '{session['tenant']}'")
