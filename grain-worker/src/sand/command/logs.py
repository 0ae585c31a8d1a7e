"""`sand logs`: what an application's grains wrote."""

import json
from typing import Any

import click

from sand.command.client import Platform, application_path
from sand.command.options import output_option, server_option
from sand.command.output import say, when


@click.command("logs", short_help="Show or follow what an application's grains wrote.")
@click.argument("application")
@click.option("--invocation", metavar="ID", help="Of one invocation only.")
@click.option("--process", metavar="ID", help="Of one cloud process only; it was not killed.")
@click.option("--grain", help="Of one grain only.")
@click.option("-f", "--follow", is_flag=True, help="Stay, and show lines as they come.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=200, show_default=True, help="At most the last so many lines.")
@output_option
@server_option
def logs_command(
    application: str,
    invocation: str | None,
    process: str | None,
    grain: str | None,
    follow: bool,
    limit: int,
    as_json: bool,
    platform: Platform,
) -> None:
    """Show what the grains of APPLICATION wrote to stdout, stderr and their logger.

    \b
    Examples:
      sand logs hello --follow
      sand logs hello --invocation 01JD0Z5W3M8Q6T1R4V7X9YB2CD -o json
      sand logs hello --process room-7
    """
    path = application_path(application, *(["processes", process] if process else []), "logs")
    query = {"invocation": invocation, "grain": grain, "limit": limit}
    if not follow:
        lines = platform.get(path, **query)["lines"]
        show_logs(lines, as_json)
        if not lines:
            say("no lines")
        return
    for event, data in platform.events(path, {**query, "follow": "true"}):
        if event in ("line", "message"):
            show_logs([json.loads(data)], as_json)


def show_logs(lines: list[dict[str, Any]], as_json: bool) -> None:
    """One line a line; as JSON one object a line, so that it can be followed by a program too."""
    for line in lines:
        if as_json:
            click.echo(json.dumps(line, ensure_ascii=False))
            continue
        level = line.get("level") or {"stdout": "out", "stderr": "err"}.get(line["stream"], line["stream"])
        short_id = (line.get("executionId") or "")[-6:] or "-"
        click.echo(f"{when(line['epochMs'])}  {line.get('grain') or '-'}  {short_id}  {level.lower():<5} {_text(line)}")


def _text(line: dict[str, Any]) -> str:
    """A structured line's message with its other fields; any other line as it is."""
    if not line.get("level"):
        return line["text"]
    try:
        fields = json.loads(line["text"])
    except ValueError:
        return line["text"]
    message = fields.pop("message", "")
    rest = " ".join(f"{k}={json.dumps(v, ensure_ascii=False)}" for k, v in fields.items() if k not in ("level", "time"))
    return f"{message} {rest}".rstrip()
