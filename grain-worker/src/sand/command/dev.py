"""`sand dev`: deploys a folder and deploys it again whenever a file of it changes, with its logs beside."""

import json
import threading
import time
from pathlib import Path

import click
from watchfiles import watch

from sand.command.bundle import ignore_patterns, is_ignored, zip_folder
from sand.command.client import Platform, application_path
from sand.command.deploy import deploy
from sand.command.failure import Failure
from sand.command.logs import show_logs
from sand.command.options import output_option, server_option
from sand.command.output import say

# Between two looks for a platform that went away.
RETRY_SECONDS = 1.0


@click.command("dev", short_help="Deploy a folder whenever it changes, and show its logs.")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@click.option("--once", is_flag=True, hidden=True, help="Deploy once and end; what tests use.")
@output_option
@server_option
def dev_command(folder: Path, once: bool, as_json: bool, platform: Platform) -> None:
    """Watch FOLDER: every change becomes a new version at once, and the log lines of all its grains are shown.

    A change that does not deploy is told with its reason; the version before goes on. A platform that goes away is waited
    for.

    \b
    Example:
      sand up &
      sand dev hello
    """
    application = _deploy_now(platform, folder)
    if once:
        return
    followed: set[str] = set()
    say(f"watching {folder}; Ctrl-C ends it")
    changes = watch(folder, watch_filter=lambda _, path: _belongs(folder, Path(path)), raise_interrupt=True)
    while True:
        if application and application not in followed:
            followed.add(application)
            _follow_logs(platform.server, application, as_json)
        next(changes)
        application = _deploy_now(platform, folder) or application


def _belongs(folder: Path, path: Path) -> bool:
    from pathlib import PurePosixPath

    try:
        name = PurePosixPath(path.resolve().relative_to(folder.resolve()).as_posix())
    except ValueError:
        return False
    return not is_ignored(name, ignore_patterns(folder))


def _deploy_now(platform: Platform, folder: Path) -> str | None:
    """The application's name, or None when it did not deploy: then its reason has been told."""
    try:
        deployed = deploy(platform, zip_folder(folder))
    except (Failure, click.UsageError, OSError) as e:
        title = e.title if isinstance(e, Failure) else e.format_message() if isinstance(e, click.UsageError) else str(e)
        say(f"not deployed: {title}")
        for line in e.lines if isinstance(e, Failure) else ():
            say(f"  {line}")
        return None
    say(f"deployed {deployed['application']} version {deployed['version']}")
    return deployed["application"]


def _follow_logs(server: str, application: str, as_json: bool) -> None:
    """Shows log lines until the command ends. A stream that breaks is begun again once the platform answers: with the
    lines that came meanwhile, and none twice."""

    def follow() -> None:
        path, shown, away = application_path(application, "logs"), -1, False
        while True:
            with Platform(server) as platform:
                try:
                    for event, data in platform.events(path, {"follow": "true", "limit": 1 if shown < 0 else 200}):
                        away = False
                        if event in ("line", "message"):
                            line = json.loads(data)
                            if line.get("sequence", shown + 1) > shown:
                                show_logs([line], as_json)
                                shown = line.get("sequence", shown)
                except Failure as e:
                    if not away:
                        say(f"no logs for now: {e.title}")
                    away = True
            time.sleep(RETRY_SECONDS)

    threading.Thread(target=follow, daemon=True).start()
