"""`sand account …`, `sand login`, `sand logout`: people, their passwords and sessions."""

from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import click

from sand.command.client import Platform, path_to
from sand.command.options import output_option, server_option
from sand.command.output import say, show_json, show_table, when
from sand.command.session import COOKIE, headers_of, keep, password_of
from sand.command.tenant import path_of, tenant_option

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def password_option(help: str):
    return click.option(
        "--password-file", metavar="FILE", type=_FILE, help=f"{help}; else it is asked for, or read from standard input."
    )


@click.group("account", short_help="Make accounts, list them, change a password.")
def account_command() -> None:
    """Who may sign in. With the first account the platform is closed: whoever asks has to say who he is.

    \b
    Examples:
      sand account create ada                   the first one, on the platform's own machine
      sand login ada
      sand account invite --role developer      for somebody else, who makes an account with it:
      sand account create bob --invitation-file invitation
      sand account password
      sand account change bob --new-password    who has forgotten his gets another, of the operator
    """


@account_command.command("create")
@click.argument("name")
@password_option("The password, of 10 characters at least")
@click.option("--invitation-file", metavar="FILE", type=_FILE, help="The invitation that everybody but the first one needs.")
@output_option
@server_option
def create_account(
    name: str, password_file: Path | None, invitation_file: Path | None, as_json: bool, platform: Platform
) -> None:
    """Make an account for NAME."""
    wanted = {"name": name, "password": password_of(password_file, "password", confirm=True)}
    if invitation_file is not None:
        wanted["invitation"] = invitation_file.read_text().strip()
    made = platform.send("POST", "/api/v1/users", wanted)
    if as_json:
        show_json(made)
    else:
        operates = " and operates this platform" if made["operator"] else ""
        say(f"'{made['user']}' has an account{operates}: sand login {made['user']}")


@account_command.command("list")
@output_option
@server_option
def list_accounts(as_json: bool, platform: Platform) -> None:
    """Everybody who has an account. The operator's to see."""
    found = platform.get("/api/v1/users")
    if as_json:
        show_json(found)
        return
    rows = [
        (
            user["user"],
            "operator" if user["operator"] else "",
            ",".join(f"{tenant}: {role}" for tenant, role in user["tenants"].items()),
            when(user["createdMs"]),
            "disabled" if user["disabled"] else "",
        )
        for user in found["users"]
    ]
    show_table(["user", "", "tenants", "created", "state"], rows)


@account_command.command("password")
@click.option(
    "--old-file", metavar="FILE", type=_FILE, help="The old password; else it is asked for, or read from standard input."
)
@password_option("The new one")
@output_option
@server_option
def change_password(old_file: Path | None, password_file: Path | None, as_json: bool, platform: Platform) -> None:
    """Change your own password, and end your other sessions. You have to be signed in (sand login)."""
    old = password_of(old_file, "old password")
    new = password_of(password_file, "new password", confirm=True)
    platform.send("PUT", "/api/v1/account/password", {"old": old, "new": new})
    if as_json:
        show_json({})
    else:
        say("your password is changed, and your other sessions are over")


@account_command.command("change")
@click.argument("name")
@click.option("--disable/--enable", default=None, help="Whether he may sign in.")
@click.option("--operator/--no-operator", default=None, help="Whether he operates the platform.")
@click.option("--new-password", is_flag=True, help="He has forgotten his: another one, which is asked for.")
@password_option("The new one")
@output_option
@server_option
def change_account(
    name: str,
    disable: bool | None,
    operator: bool | None,
    new_password: bool,
    password_file: Path | None,
    as_json: bool,
    platform: Platform,
) -> None:
    """Change what NAME may, or give him another password. The operator's to do; his sessions are over then."""
    wanted: dict[str, Any] = {}
    if disable is not None:
        wanted["disabled"] = disable
    if operator is not None:
        wanted["operator"] = operator
    if new_password or password_file is not None:
        wanted["new"] = password_of(password_file, "new password", confirm=True)
    if not wanted:
        raise click.UsageError("nothing is to be changed: --disable, --operator or --new-password")
    changed = platform.send("PUT", path_to("/api/v1/users", name), wanted)
    if as_json:
        show_json(changed)
        return
    what = [word for word, is_so in (("disabled", changed["disabled"]), ("an operator", changed["operator"])) if is_so]
    also = ", and has another password" if "new" in wanted else ""
    say(f"'{name}' is {' and '.join(what) or 'neither disabled nor an operator'}{also}")


@account_command.command("invite")
@click.option("--role", type=click.Choice(["viewer", "developer", "owner"]), default="developer", show_default=True)
@tenant_option
@click.option("--expires", metavar="DURATION", help="For how long it is good, 30d at most; a week if not said.")
@output_option
@server_option
def invite(role: str, tenant: str | None, expires: str | None, as_json: bool, platform: Platform) -> None:
    """Make an invitation for somebody. It goes to standard output, this once."""
    wanted = {"role": role} if expires is None else {"role": role, "expires": expires}
    path = path_of(tenant, platform)
    made = platform.send("POST", f"{path}/invitations", wanted)
    if as_json:
        show_json(made)
        return
    click.echo(made["invitation"])
    say(f"whoever has it becomes {role} of '{path.rpartition('/')[2]}', until {when(made['expiresMs'])}; it is not shown again")


@click.command("login", short_help="Sign in, for the commands that follow.")
@click.argument("name")
@password_option("The password")
@output_option
@server_option
def login_command(name: str, password_file: Path | None, as_json: bool, platform: Platform) -> None:
    """Sign in as NAME. For twelve hours at most the session is kept in ~/.config/sand/sessions.json, a file of yours alone.

    A key (--key-file, SAND_KEY, SAND_KEY_FILE) counts before it.
    """
    password = password_of(password_file, "password")
    answer = platform.request("POST", "/api/v1/sessions", {"name": name, "password": password})
    session = answer.json()
    keep(platform.server, {"token": SimpleCookie(answer.headers["Set-Cookie"])[COOKIE].value, "csrf": session.pop("csrf")})
    if as_json:
        show_json(session)
    else:
        say(f"signed in at {platform.server} as '{session['user']}', until {when(session['expiresMs'])}")


@click.command("logout", short_help="Sign out.")
@output_option
@server_option
def logout_command(as_json: bool, platform: Platform) -> None:
    """End the session that `sand login` has begun at this server."""
    headers = headers_of(platform.server)
    keep(platform.server, None)
    if headers:
        platform.call("DELETE", "/api/v1/session", headers=headers)
    if as_json:
        show_json({})
    else:
        say(f"signed out at {platform.server}")
