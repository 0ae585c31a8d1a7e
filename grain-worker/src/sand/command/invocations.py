"""`sand invocations …`: what happened to an invocation, while it runs and after."""

import json
from pathlib import Path
from urllib.parse import unquote

import click

from sand.command.client import Platform, application_path
from sand.command.failure import ExitCode, Failure
from sand.command.logs import Asked, lines_options, show_pages
from sand.command.options import output_option, server_option
from sand.command.output import (
    milliseconds,
    output_value,
    say,
    show_bytes,
    show_fields,
    show_json,
    show_table,
    size,
    when,
    write_file,
)


@click.group("invocations", short_help="List, show, follow, cancel and redrive invocations.")
def invocations_command() -> None:
    """What happened to invocations.

    \b
    Examples:
      sand invocations list hello --status FAILED
      sand invocations timeline hello 01JD0Z5W3M8Q6T1R4V7X9YB2CD
    """


@invocations_command.command("list")
@click.argument("application")
@click.option("--status", type=click.Choice(["RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "CANCELLED"], case_sensitive=False))
@click.option("--target", metavar="NAME", help="Those of this grain or workflow.")
@click.option("--process", metavar="ID", help="Those that ran in this cloud process.")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@click.option("--before", metavar="ID", help="Older than this one, for paging.")
@output_option
@server_option
def list_invocations(
    application: str,
    status: str | None,
    target: str | None,
    process: str | None,
    limit: int,
    before: str | None,
    as_json: bool,
    platform: Platform,
) -> None:
    """The invocations of APPLICATION, newest first."""
    path = application_path(application, "invocations")
    asked = {"status": status and status.upper(), "target": target, "process": process}
    found = platform.get(path, **asked, limit=limit, before=before)
    if as_json:
        show_json(found)
        return
    rows = [
        (i["executionId"], i["target"], i["version"], i["status"], when(i["startedMs"]), _duration(i), error_of(i))
        for i in found["invocations"]
    ]
    show_table(["invocation", "target", "version", "status", "started", "ms", "error"], rows)
    if found.get("next"):
        say(f"older ones: --before {found['next']}")


@invocations_command.command("get")
@click.argument("application")
@click.argument("invocation")
@output_option
@server_option
def get_invocation(application: str, invocation: str, as_json: bool, platform: Platform) -> None:
    """One invocation: status, times, use of CPU and memory, error."""
    found = platform.get(application_path(application, "invocations", invocation))
    if as_json:
        show_json(found)
        return
    failure = found.get("failure") or {}
    show_fields(
        {
            "invocation": found["executionId"],
            "target": f"{found['application']}/{found['target']}@{found['version']}",
            "process": found.get("process"),
            "status": found["status"],
            "started": when(found["startedMs"]),
            "ms": _duration(found),
            "cpu ms": milliseconds((found.get("cpuUs") or 0) * 1000),
            "peak memory": size(found.get("peakMemoryBytes")),
            "error": error_of(found),
            "cause": failure.get("cause"),
        }
    )
    if failure.get("stackTrace"):
        click.echo(failure["stackTrace"])


@invocations_command.command("input")
@click.argument("application")
@click.argument("invocation")
@output_option
@server_option
def invocation_input(application: str, invocation: str, as_json: bool, platform: Platform) -> None:
    """What an invocation was called with, as it was; with -o json in an object. Inputs of up to 64 KiB are kept."""
    response = platform.call("GET", application_path(application, "invocations", invocation, "input"))
    content_type = response.headers.get("content-type", "application/octet-stream")
    if as_json:
        shown = output_value(response.content, content_type, None)
        show_json({"invocation": invocation, "contentType": content_type, "input": shown})
    else:
        show_bytes(response.content, content_type)


@invocations_command.command("output")
@click.argument("application")
@click.argument("invocation")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write it to this file.")
@output_option
@server_option
def invocation_output(application: str, invocation: str, out: Path | None, as_json: bool, platform: Platform) -> None:
    """An invocation's output, as it is; with -o json in an object with its status. Ends with 7 when there is none yet."""
    response = platform.call("GET", application_path(application, "invocations", invocation, "output"))
    content_type = response.headers.get("content-type", "application/octet-stream")
    if response.status_code == 202:
        raise Failure(ExitCode.TIMED_OUT, f"{invocation} is still running", ("`sand invocations events` follows it.",))
    if out is not None:
        write_file(out, response.content)
        say(f"{len(response.content)} bytes in {out}")
    if as_json:
        output = output_value(response.content, content_type, out)
        show_json({"invocation": invocation, "contentType": content_type, "output": output})
    elif out is None:
        show_bytes(response.content, content_type)


@invocations_command.command("events", short_help="Follow an invocation until it ends.")
@click.argument("application")
@click.argument("invocation")
@output_option
@server_option
def invocation_events(application: str, invocation: str, as_json: bool, platform: Platform) -> None:
    """Follow an invocation until it ends: a line an event, with its name and a JSON object."""
    for event, data in platform.events(application_path(application, "invocations", invocation, "events")):
        if as_json:
            click.echo(json.dumps({"event": event, "data": json.loads(data)}, ensure_ascii=False))
        else:
            click.echo(f"{event}\t{data}")


@invocations_command.command("timeline")
@click.argument("application")
@click.argument("invocation")
@output_option
@server_option
def invocation_timeline(application: str, invocation: str, as_json: bool, platform: Platform) -> None:
    """Where an invocation's time went: a row an attempt of a grain."""
    found = platform.get(application_path(application, "invocations", invocation, "timeline"))
    if as_json:
        show_json(found)
    else:
        show_timeline(found)


@invocations_command.command("history", short_help="What each state of a workflow's execution did.")
@click.argument("application")
@click.argument("invocation")
@click.option("--iteration", help="Of a distributed Map: the iteration's own history, such as Map[3].")
@output_option
@server_option
def invocation_history(application: str, invocation: str, iteration: str | None, as_json: bool, platform: Platform) -> None:
    """The events of a workflow's execution, as AWS names them: states entered and left, attempts, iterations, the end."""
    events: list[dict] = []
    query = {"limit": 1000, **({"iteration": iteration} if iteration else {})}
    path = application_path(application, "invocations", invocation, "history")
    page = platform.get(path, **query)
    events += page["events"]
    while page["next"] is not None:
        page = platform.get(path, **query, after=page["next"])
        events += page["events"]
    if as_json:
        show_json({"executionId": page["executionId"], "status": page["status"], "events": events})
    else:
        show_table(["id", "time", "event", "what"], [_event_row(event) for event in events])


def _event_row(event: dict) -> tuple:
    """A history event as a row: its details are the one member that is an object."""
    details: dict = next((value for value in event.values() if isinstance(value, dict)), {})
    shown = [details[name] for name in ("name", "index", "resource", "error", "cause") if details.get(name) is not None]
    value = details.get("output") or details.get("input") or details.get("parameters")
    return event["id"], event["timestamp"], event["type"], " ".join(map(str, [*shown, *([value[:80]] if value else [])]))


@invocations_command.command("logs")
@click.argument("application")
@click.argument("invocation")
@lines_options
@output_option
@server_option
def invocation_logs(application: str, invocation: str, asked: Asked, as_json: bool, platform: Platform) -> None:
    """What the grains wrote in one invocation."""
    show_pages(platform, application_path(application, "invocations", invocation, "logs"), asked, as_json)


@invocations_command.command("cancel", short_help="End an invocation that runs.")
@click.argument("application")
@click.argument("invocation")
@click.option("--error", metavar="NAME", help="What it ends with, in place of Sand.Cancelled; at most 256 characters.")
@click.option("--cause", metavar="TEXT", help="Why; at most 32,768 characters.")
@output_option
@server_option
def cancel_invocation(
    application: str, invocation: str, error: str | None, cause: str | None, as_json: bool, platform: Platform
) -> None:
    """End an invocation that runs: its processes are killed, its result is CANCELLED, with that error and cause."""
    said = {name: text for name, text in (("error", error), ("cause", cause)) if text is not None}
    platform.send("POST", application_path(application, "invocations", invocation, "cancel"), said or None)
    say(f"cancelled {invocation}")
    if as_json:
        show_json({"invocation": invocation, "cancelled": True})


@invocations_command.command("redrive", short_help="Let a workflow's invocation that failed run on.")
@click.argument("application")
@click.argument("invocation")
@click.option("--timeout", metavar="DURATION", help="Its deadline, from now on; 15 minutes unless told.")
@click.option("--version", type=click.IntRange(1), help="One with a grain mended, and the same definition of the workflow.")
@click.option("--from", "from_", metavar="STATE", help="A state that it has entered, to be entered again as it was then.")
@output_option
@server_option
def redrive_invocation(
    application: str,
    invocation: str,
    timeout: str | None,
    version: int | None,
    from_: str | None,
    as_json: bool,
    platform: Platform,
) -> None:
    """Let an invocation of a workflow that failed, timed out or was cancelled run on from the state that failed.

    The results of the states before stand; it keeps its id, and its version unless another is named. With --from, it begins
    from that state: one of the workflow itself, of no branch of a Parallel and no iteration of a Map.
    """
    path = application_path(application, "invocations", invocation, "redrive")
    said = {name: value for name, value in (("version", version), ("from", from_)) if value is not None}
    body = json.dumps(said).encode() if said else None
    headers = {"Content-Type": "application/json"} if said else None
    redriven = platform.call("POST", path, query={"timeout": timeout}, body=body, headers=headers).json()
    say(f"redriven {invocation}, for the {redriven['redriveCount']}. time")
    if as_json:
        show_json(redriven)


def show_timeline(timeline: dict) -> None:
    """Milliseconds an attempt spent queued, handed over, running, and on the bus back; of a workflow's, with its state."""
    rows, ways = [], []
    for hop in timeline["hops"]:
        parts = [hop[name] for name in ("queueMs", "dispatchMs", "runMs", "busMs")]
        rows.append((hop["grain"], hop["attempt"], *(f"{ms:.3f}" for ms in parts), hop.get("error")))
        ways.append(unquote(hop["eventId"].partition("/")[2]))
    heads = ["grain", "attempt", "queue ms", "dispatch ms", "run ms", "bus ms", "error"]
    if all(way == row[0] for way, row in zip(ways, rows, strict=True)):
        show_table(heads, rows)
    else:
        show_table(["state", *heads], [(way, *row) for way, row in zip(ways, rows, strict=True)])


def error_of(invocation: dict) -> str | None:
    return (invocation.get("failure") or {}).get("error")


def _duration(invocation: dict) -> int | None:
    return invocation["endedMs"] - invocation["startedMs"] if invocation.get("endedMs") else None
