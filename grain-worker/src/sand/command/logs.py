"""`sand logs`: what an application's grains wrote."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import click

from sand.command.client import Platform, application_path
from sand.command.options import output_option, server_option
from sand.command.output import printable, say, when

# What the platform is asked for at once; it gives fewer where lines are long.
PAGE = 1000
# What a platform gives at the beginning of a stream.
MOST_FOLLOWED = 10_000
LEVELS = ("debug", "info", "warning", "error", "critical")
STREAMS = ("stdout", "stderr", "platform")


def lines_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which lines, given to the command as `asked`."""

    @click.option("--grain", help="Of one grain only.")
    @click.option("--text", metavar="TEXT", help="Lines that have it, in small or capital letters.")
    @click.option("--level", type=click.Choice(LEVELS, case_sensitive=False), help="Of this level at least.")
    @click.option("--stream", "streams", type=click.Choice(STREAMS), multiple=True, help="Of this stream; can be repeated.")
    @click.option("--limit", type=click.IntRange(1), default=200, show_default=True, help="At most the last so many lines.")
    @click.option("--after", type=int, metavar="SEQUENCE", help="The first lines behind that one, instead of the last.")
    @click.option("--before", type=int, metavar="SEQUENCE", help="The last lines before that one.")
    @wraps(command)
    def with_asked(
        *args: Any,
        grain: str | None,
        text: str | None,
        level: str | None,
        streams: tuple[str, ...],
        limit: int,
        after: int | None,
        before: int | None,
        **kwargs: Any,
    ) -> Any:
        if after is not None and before is not None:
            raise click.UsageError("lines are asked for before one, or after one; not both")
        query = {"grain": grain, "text": text, "level": level, "stream": ",".join(streams) or None}
        return command(*args, asked=Asked(query, limit, after, before), **kwargs)

    return with_asked


class Asked(NamedTuple):
    query: dict[str, Any]
    limit: int
    after: int | None
    before: int | None


@click.command("logs", short_help="Show or follow what an application's grains wrote.")
@click.argument("application")
@click.option("--invocation", metavar="ID", help="Of one invocation only.")
@click.option("--process", metavar="ID", help="Of one cloud process only; it was not killed.")
@click.option("-f", "--follow", is_flag=True, help="Stay, and show lines as they come.")
@lines_options
@output_option
@server_option
def logs_command(
    application: str,
    invocation: str | None,
    process: str | None,
    follow: bool,
    asked: Asked,
    as_json: bool,
    platform: Platform,
) -> None:
    """Show what the grains of APPLICATION wrote to stdout, stderr and their logger.

    \b
    Examples:
      sand logs hello --follow
      sand logs hello --level warning --text timeout --limit 1000
      sand logs hello --invocation 01JD0Z5W3M8Q6T1R4V7X9YB2CD -o json
      sand logs hello --process room-7
    """
    path = application_path(application, *(["processes", process] if process else []), "logs")
    asked = asked._replace(query={**asked.query, "invocation": invocation})
    if not follow:
        show_pages(platform, path, asked, as_json)
        return
    if asked.before is not None:
        raise click.UsageError("what is before a line is not followed")
    query = {**asked.query, "limit": min(asked.limit, MOST_FOLLOWED), "after": asked.after, "follow": "true"}
    for event, data in platform.events(path, query):
        if event in ("line", "message"):
            show_logs([json.loads(data)], as_json)


def show_pages(platform: Platform, path: str, asked: Asked, as_json: bool) -> None:
    """As many lines as are asked for, page by page: an answer may have fewer of them than there are."""
    if asked.after is not None:
        shown, on = _show_newer(platform, path, asked, as_json)
    else:
        shown, on = _show_older(platform, path, asked, as_json)
    if not shown:
        say("no lines")
    if on:
        say(on)


def _show_newer(platform: Platform, path: str, asked: Asked, as_json: bool) -> tuple[int, str | None]:
    shown, after = 0, asked.after
    while shown < asked.limit:
        page = platform.get(path, **asked.query, after=after, limit=min(PAGE, asked.limit - shown))
        show_logs(page["lines"], as_json)
        shown, after = shown + len(page["lines"]), page["next"]
        if after is None:
            return shown, None
    return shown, f"newer ones: --after {after}"


def _show_older(platform: Platform, path: str, asked: Asked, as_json: bool) -> tuple[int, str | None]:
    pages: list[list[dict[str, Any]]] = []
    found, before = 0, asked.before
    while found < asked.limit:
        page = platform.get(path, **asked.query, before=before, limit=min(PAGE, asked.limit - found))
        pages.append(page["lines"])
        found, before = found + len(page["lines"]), page.get("previous")
        if before is None:
            break
    for lines in reversed(pages):
        show_logs(lines, as_json)
    return found, None if before is None else f"older ones: --before {before}"


def show_logs(lines: list[dict[str, Any]], as_json: bool) -> None:
    """One line a line; as JSON one object a line, so that it can be followed by a program too."""
    for line in lines:
        if as_json:
            click.echo(json.dumps(line, ensure_ascii=False))
            continue
        level = line.get("level") or {"stdout": "out", "stderr": "err"}.get(line["stream"], line["stream"])
        short_id = (line.get("executionId") or "")[-6:] or "-"
        text = "\t".join(printable(part) for part in _text(line).split("\t"))  # which is no command, and common in lines
        click.echo(f"{when(line['epochMs'])}  {line.get('grain') or '-'}  {short_id}  {level.lower():<5} {text}")


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
