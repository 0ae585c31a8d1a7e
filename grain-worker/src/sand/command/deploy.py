"""`sand deploy`: a folder or a zip becomes a new version of its application."""

import json
from pathlib import Path
from typing import Any

import click

from sand.command.bundle import zip_folder
from sand.command.client import Platform
from sand.command.failure import ExitCode, Failure, of_problem
from sand.command.options import output_option, server_option
from sand.command.output import say, show_fields, show_json, size


@click.command("deploy", short_help="Deploy an application's folder or zip as a new version.")
@click.argument("source", type=click.Path(exists=True, path_type=Path), default=".")
@click.option("--alias", help="Move this alias to the new version, in place of 'live'.")
@output_option
@server_option
def deploy_command(source: Path, alias: str | None, as_json: bool, platform: Platform) -> None:
    """Deploy SOURCE, an application's folder or a zip of one (default: this folder).

    The platform installs its requirements, imports every grain once, and makes version N+1; executions in flight end
    on the version they began with. What .sandignore names stays here.

    \b
    Examples:
      sand deploy examples/web-site
      sand deploy hello.zip --alias next
    """
    data = source.read_bytes() if source.is_file() else zip_folder(source)
    say(f"deploying {source} ({size(len(data))}) to {platform.server}")
    deployed = deploy(platform, data, alias)
    if as_json:
        show_json(deployed)
        return
    show_fields(
        {
            "application": deployed["application"],
            "version": deployed["version"],
            "grains": ", ".join(deployed.get("grains", [])),
            "workflows": ", ".join(deployed.get("workflows", [])),
            "routes": ", ".join(deployed.get("routes", [])),
        }
    )


def deploy(platform: Platform, data: bytes, alias: str | None = None) -> dict[str, Any]:
    """Sends a zip, tells the build's progress, and returns the new version."""
    query = {"alias": alias} if alias else None
    headers = {"Content-Type": "application/zip", "Accept": "text/event-stream, application/json"}
    path = "/api/v1/applications"
    with platform.stream("POST", path, params=query, content=data, headers=headers) as response:
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            response.read()
            return response.json()
        from sand.command.client import parse_events

        for event, text in parse_events(response.iter_lines()):
            if event == "progress":
                say(f"  {_progress_line(text)}")
            elif event == "problem":
                problem = json.loads(text)
                failure = of_problem(int(problem.get("status", 500)), problem)
                if failure.code == ExitCode.GRAIN_FAILED:
                    failure.code = ExitCode.REFUSED  # no grain was called: its code keeps the deployment from being made
                raise failure
            elif event == "deployed":
                return json.loads(text)
    raise Failure(ExitCode.PLATFORM_FAILED, "the platform ended the deployment without saying how it went")


def _progress_line(text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return str(value.get("message", text)) if isinstance(value, dict) else str(value)
