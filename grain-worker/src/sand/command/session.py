"""Sessions of this machine's user, by server: what `sand login` keeps in a file that nobody else reads."""

import json
import os
import sys
from pathlib import Path

import click

from sand.command.failure import ExitCode, Failure

COOKIE, CSRF = "sand_session", "Sand-Csrf"


def sessions_file() -> Path:
    """Made by `keep` with its folder."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "sand" / "sessions.json"


def headers_of(server: str) -> dict[str, str]:
    """What shows the session at this server; nothing where there is none."""
    session = _read().get(server)
    if not isinstance(session, dict) or not session.keys() >= {"token", "csrf"}:
        return {}
    return {"Cookie": f"{COOKIE}={session['token']}", CSRF: str(session["csrf"])}


def keep(server: str, session: dict[str, str] | None) -> None:
    """:param session: token and csrf; None: there is none any more. :raises Failure: the file cannot be written"""
    file = sessions_file()
    sessions = {name: value for name, value in _read().items() if name != server}
    if session is not None:
        sessions[server] = session
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = file.with_suffix(f".{os.getpid()}")
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
            json.dump(sessions, out)
        new.replace(file)
    except OSError as e:
        raise Failure(ExitCode.USAGE, f"{file} cannot be written: {e.strerror}") from e


def _read() -> dict[str, object]:
    try:
        read = json.loads(sessions_file().read_text())
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def password_of(file: Path | None, prompt: str, confirm: bool = False) -> str:
    """From the file's first line, else asked for, else the next line of standard input. Never an argument, which others see."""
    if file is not None:
        return file.read_text().split("\n", 1)[0].removesuffix("\r")
    if sys.stdin.isatty():
        return click.prompt(prompt, hide_input=True, confirmation_prompt=confirm, err=True)
    return sys.stdin.readline().rstrip("\r\n")
