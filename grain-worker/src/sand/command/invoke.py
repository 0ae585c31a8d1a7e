"""`sand invoke`: calls a grain or a workflow, with text, JSON or bytes in and out."""

import sys
from pathlib import Path

import click
import httpx

from sand.command.client import Platform, path_to
from sand.command.events import read_event
from sand.command.inputs import JSON, OCTETS, read_input
from sand.command.options import Seconds, output_option, server_option, split_target
from sand.command.output import check_place, output_value, say, show_bytes, show_json, show_table, write_file


@click.command("invoke", short_help="Call a grain or a workflow.")
@click.argument("target", metavar="APP/TARGET[@VERSION]")
@click.option("-d", "--data", help="The input: JSON, @FILE, or - for stdin. Default: null, for a workflow {}.")
@click.option("--event", metavar="NAME", help="The input: an event of the target, saved or in tests/events (`sand events`).")
@click.option("--content-type", help="Media type of the input; by default JSON, or what the file's name says.")
@click.option("--async", "asynchronous", is_flag=True, help="Do not wait: print the invocation's id.")
@click.option("--wait", type=Seconds(0), metavar="DURATION", help="Wait so long (5, 2s, 500ms), then answer with the id.")
@click.option("--timeout", type=Seconds(), metavar="DURATION", help="The execution's deadline: 5 (seconds), 500ms, 30s, 10m.")
@click.option("--idempotency-key", help="Two calls with one key are one execution.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the output to this file.")
@click.option("--timing", is_flag=True, help="Show where the time went, on stderr.")
@output_option
@server_option
def invoke_command(
    target: str,
    data: str | None,
    event: str | None,
    content_type: str | None,
    asynchronous: bool,
    wait: float | None,
    timeout: float | None,
    idempotency_key: str | None,
    out: Path | None,
    timing: bool,
    as_json: bool,
    platform: Platform,
) -> None:
    """Call TARGET, a grain or a workflow of APP, and write its output to stdout as it is.

    With -o json: one object with the id, the status, the timing and the output.

    \b
    Examples:
      sand invoke hello/greet --data '{"name": "Ada"}'
      sand invoke image-pipeline/main --data @photo.jpg --out result.json
      sand invoke hello/greet --event ada
      sand invoke hello/greet@2 --async
    """
    application, name = split_target(target)
    check_place(out)
    if event is not None and data is not None:
        raise click.UsageError("--event is an input, and so is --data: give one of them")
    body, kind = (read_event(platform, target, event), content_type or JSON) if event else read_input(data, content_type)
    headers = {"Content-Type": kind}
    preferences = []
    if asynchronous:
        preferences.append("respond-async")
    if wait is not None:
        preferences.append(f"wait={wait:g}")
    if preferences:
        headers["Prefer"] = ", ".join(preferences)
    if idempotency_key:
        headers["Idempotency-Key"] = idempotency_key
    if timeout:
        headers["Sand-Timeout"] = f"{int(timeout * 1000)}ms"
    path = path_to("/invoke", application, name)
    response = platform.call("POST", path, body=body, headers=headers)

    identity = response.headers.get("Sand-Execution-Id", "")
    if response.status_code == 202:
        _show_accepted(response, identity, as_json)
        return
    if timing:
        _show_timing(response)
    output_type = response.headers.get("content-type", OCTETS)
    if out is not None:
        write_file(out, response.content)
        say(f"{len(response.content)} bytes of {output_type} in {out}")
    if as_json:
        show_json(
            {
                "invocation": identity,
                "status": "SUCCEEDED",
                "contentType": output_type,
                "timingMs": server_timing(response),
                "output": output_value(response.content, output_type, out),
            }
        )
    elif out is None:
        show_bytes(response.content, output_type)


def server_timing(response: httpx.Response) -> dict[str, float]:
    """The Server-Timing header as milliseconds by name."""
    timing = {}
    for entry in response.headers.get("Server-Timing", "").split(","):
        name, *parameters = (part.strip() for part in entry.split(";"))
        for parameter in parameters:
            if name and parameter.startswith("dur="):
                timing[name] = float(parameter[4:])
    return timing


def _show_accepted(response: httpx.Response, identity: str, as_json: bool) -> None:
    location = response.headers.get("Location", "")
    if as_json:
        show_json({"invocation": identity, "status": "RUNNING", "location": location})
    else:
        say(f"accepted; it is at {location}")
        click.echo(identity)


def _show_timing(response: httpx.Response) -> None:
    with_stderr = [(name, f"{ms:.3f}") for name, ms in server_timing(response).items()]
    stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        show_table(["part", "ms"], with_stderr)
    finally:
        sys.stdout = stdout
