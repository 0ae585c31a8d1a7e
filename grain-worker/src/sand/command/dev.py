"""`sand dev`: deploys a folder and deploys it again whenever a file of it changes, with its logs beside."""

import threading
from pathlib import Path

import click
from watchfiles import watch

from sand.command.bundle import ignore_patterns, is_ignored, zip_folder
from sand.command.client import Platform, application_path
from sand.command.deploy import deploy
from sand.command.failure import Failure
from sand.command.logs import show_logs
from sand.command.options import server_option
from sand.command.output import say


@click.command("dev", short_help="Deploy a folder whenever it changes, and show its logs.")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@click.option("--once", is_flag=True, hidden=True, help="Deploy once and end; what tests use.")
@server_option
def dev_command(folder: Path, once: bool, platform: Platform) -> None:
    """Watch FOLDER: every change becomes a new version at once, and the log lines of all its grains are shown.

    A change that does not deploy is told with its reason; the version before goes on.

    \b
    Example:
      sand up &
      sand dev hello
    """
    application = _deploy_now(platform, folder)
    if once:
        return
    if application:
        _follow_logs(platform.server, application)
    say(f"watching {folder}; Ctrl-C ends it")
    for _ in watch(folder, watch_filter=lambda _, path: _belongs(folder, Path(path)), raise_interrupt=True):
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
    except (Failure, click.UsageError) as e:
        title = e.title if isinstance(e, Failure) else e.format_message()
        say(f"not deployed: {title}")
        for line in e.lines if isinstance(e, Failure) else ():
            say(f"  {line}")
        return None
    say(f"deployed {deployed['application']} version {deployed['version']}")
    return deployed["application"]


def _follow_logs(server: str, application: str) -> None:
    """Shows log lines until the command ends; a stream that breaks is told and not begun again."""

    def follow() -> None:
        import json

        with Platform(server) as platform:
            try:
                for event, data in platform.events(application_path(application, "logs"), {"follow": "true", "limit": 1}):
                    if event in ("line", "message"):
                        show_logs([json.loads(data)], as_json=False)
            except Failure as e:
                say(f"no more logs: {e.title}")

    threading.Thread(target=follow, daemon=True).start()
