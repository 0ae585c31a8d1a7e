"""`sand triggers …`: what fires by itself, and messages that were given up on."""

from collections.abc import Callable
from typing import Any

import click

from sand.command.client import Platform, application_path
from sand.command.options import output_option, server_option
from sand.command.output import say, show_json, show_table, when


@click.group("triggers", short_help="List, arm and disarm triggers; replay or drop dead letters.")
def triggers_command() -> None:
    """What fires by itself, at times or when data changes.

    \b
    Examples:
      sand triggers list shop
      sand triggers disarm shop nightly
      sand triggers dead-letters shop orders
      sand triggers replay shop orders --all
    """


@triggers_command.command("list")
@click.argument("application")
@output_option
@server_option
def list_triggers(application: str, as_json: bool, platform: Platform) -> None:
    """The triggers of APPLICATION's live version."""
    found = platform.get(application_path(application, "triggers"))
    if as_json:
        show_json(found)
        return
    rows = [
        (t["name"], t["target"], t["armed"], _what(t), when(t.get("firedMs")), when(t.get("nextMs"))) for t in found["triggers"]
    ]
    show_table(["trigger", "target", "armed", "fires", "last", "next"], rows)


def _what(trigger: dict[str, Any]) -> str:
    data = trigger.get("data")
    return trigger.get("schedule", "") if data is None else f"{'/'.join(data['operations']).lower()} of {data['prefix']}*"


@triggers_command.command("arm")
@click.argument("application")
@click.argument("trigger")
@output_option
@server_option
def arm(application: str, trigger: str, as_json: bool, platform: Platform) -> None:
    """Have TRIGGER fire from now on; an interval counts from now."""
    _set(application, trigger, "arm", as_json, platform)


@triggers_command.command("disarm")
@click.argument("application")
@click.argument("trigger")
@output_option
@server_option
def disarm(application: str, trigger: str, as_json: bool, platform: Platform) -> None:
    """Have TRIGGER fire no more, within a second. What waits in its queue is delivered."""
    _set(application, trigger, "disarm", as_json, platform)


def _set(application: str, trigger: str, how: str, as_json: bool, platform: Platform) -> None:
    done = platform.send("POST", application_path(application, "triggers", trigger, how))
    if as_json:
        show_json(done)
    else:
        say(f"{trigger} of {application} is {how}ed")


@triggers_command.command("dead-letters")
@click.argument("application")
@click.argument("queue")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@click.option("--after", metavar="ID", help="Those after this one, for paging.")
@output_option
@server_option
def dead_letters(application: str, queue: str, limit: int, after: str | None, as_json: bool, platform: Platform) -> None:
    """Messages of QUEUE (or of a trigger) that were given up on."""
    found = platform.get(application_path(application, "queues", queue, "dead-letters"), limit=limit, after=after)
    if as_json:
        show_json(found)
        return
    rows = [
        (m["id"], m.get("group"), m["attempts"], when(m["diedMs"]), f"{m['failure']['error']}: {m['failure']['cause']}")
        for m in found["deadLetters"]
    ]
    show_table(["message", "group", "attempts", "given up", "error"], rows)
    if found.get("next"):
        say(f"more of them: --after {found['next']}")


def _of_dead_letters(command: Callable[..., None]) -> Callable[..., None]:
    """The arguments of a command for one dead letter, or for all."""
    for argument in (
        server_option,
        output_option,
        click.option("--all", "every", is_flag=True, help="All of them, 1,000 at once."),
        click.argument("message", required=False),
        click.argument("queue"),
        click.argument("application"),
    ):
        command = argument(command)
    return command


@triggers_command.command("replay")
@_of_dead_letters
def replay(application: str, queue: str, message: str | None, every: bool, as_json: bool, platform: Platform) -> None:
    """Send dead letters of QUEUE again."""
    path = _letters(application, queue, message, every)
    done = platform.send("POST", f"{path}/replay")
    if as_json:
        show_json(done)
    else:
        say(f"{done['replayed']} sent again")


@triggers_command.command("drop")
@_of_dead_letters
def drop(application: str, queue: str, message: str | None, every: bool, as_json: bool, platform: Platform) -> None:
    """Forget dead letters of QUEUE."""
    done = platform.send("DELETE", _letters(application, queue, message, every)) or {"dropped": 1}
    if as_json:
        show_json(done)
    else:
        say(f"{done['dropped']} dropped")


def _letters(application: str, queue: str, message: str | None, every: bool) -> str:
    if (message is None) != every:
        raise click.UsageError("name one message, or say --all")
    return application_path(application, "queues", queue, "dead-letters", *([] if message is None else [message]))
