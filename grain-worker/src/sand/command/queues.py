"""`sand queues …`: durable queues and what waits in them; those of grains on their hosts; and topics of the global bus."""

import json
from pathlib import Path
from typing import Any

import click

from sand.command.client import Platform, application_path, path_to
from sand.command.options import output_option, server_option
from sand.command.output import say, show_json, show_table, when

# Characters of a message in a table.
_SHOWN = 60


@click.group("queues", short_help="List queues, send messages to them, look what waits in them.")
def queues_command() -> None:
    """Durable queues of applications.

    \b
    Examples:
      sand queues list shop
      sand queues peek shop orders
      sand queues peek shop resize --local
      sand queues send shop orders --group ada --data '{"item": 7}'
      sand queues topics
      sand queues topics journal.shop --newest
    """


@queues_command.command("list")
@click.argument("application")
@click.option("--topics", is_flag=True, help="What is kept in the application's other topics on the global bus too.")
@click.option("--local", is_flag=True, help="In place of these its grains' own, on its hosts: what waits for an instance.")
@output_option
@server_option
def list_queues(application: str, topics: bool, local: bool, as_json: bool, platform: Platform) -> None:
    """The queues of APPLICATION's live version, and those behind its triggers."""
    if local and topics:
        raise click.UsageError("--topics or --local, not both")
    if local:
        _list_local(application, as_json, platform)
        return
    found = platform.get(application_path(application, "queues"), topics="true" if topics else None)
    if as_json:
        show_json(found)
        return
    rows = [(q["name"], q["target"], q["trigger"], q["waiting"], _age(q), q["deadLetters"]) for q in found["queues"]]
    show_table(["queue", "target", "of a trigger", "waiting", "oldest", "dead letters"], rows)
    if topics:
        click.echo()
        _show_topics(found["topics"])


def _show_topics(topics: list[dict[str, Any]]) -> None:
    rows = [(t["topic"], t["records"], _age(t), _rate(t, "inPerSecond"), _rate(t, "outPerSecond"), t["sent"]) for t in topics]
    show_table(["topic", "kept", "oldest", "in/s", "out/s", "ever"], rows)


def _all_topics(platform: Platform) -> list[dict[str, Any]]:
    found, after = [], None
    while True:
        page = platform.get("/api/v1/topics", after=after)
        found += page["topics"]
        after = page["next"]
        if after is None:
            return found


def _rate(topic: dict[str, Any], name: str) -> str | None:
    """A platform that has just started has none yet."""
    return None if topic.get(name) is None else f"{topic[name]:.1f}"


def _list_local(application: str, as_json: bool, platform: Platform) -> None:
    found = platform.get(application_path(application, "local-queues"))
    if as_json:
        show_json(found)
        return
    rows = [
        (q["grain"], q.get("host"), q["version"], q["waiting"], _age(q), f"{q['inPerSecond']:.1f}", f"{q['outPerSecond']:.1f}",
         q["running"], q["idle"])
        for q in found["queues"]
    ]  # fmt: skip
    show_table(["grain", "host", "version", "waiting", "oldest", "in/s", "out/s", "running", "idle"], rows)
    say(f"in and out: events a second, in the last {found['rateWindowMs'] // 1000} s")
    _say_silent(found)


def _say_silent(found: dict[str, Any]) -> None:
    for host in found["silent"]:
        say(f"without {host['host']}: {host['problem']}")


def _age(level: dict[str, Any]) -> str | None:
    return None if level.get("oldestMs") is None else f"{level['oldestMs'] / 1000:.1f} s"


@queues_command.command("peek")
@click.argument("application")
@click.argument("queue")
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@click.option("--local", is_flag=True, help="QUEUE is a grain: the events that wait for an instance of it on its hosts.")
@output_option
@server_option
def peek(application: str, queue: str, limit: int, local: bool, as_json: bool, platform: Platform) -> None:
    """The first messages of QUEUE (or of a trigger) that are not worked off; they stay where they are."""
    if local:
        _peek_local(application, queue, limit, as_json, platform)
        return
    found = platform.get(application_path(application, "queues", queue, "messages"), limit=limit)
    if as_json:
        show_json(found)
        return
    rows = [
        (m["id"], m.get("group"), when(m["enqueuedMs"]), m["attempts"], m["bytes"], _beginning(m)) for m in found["messages"]
    ]
    show_table(["message", "group", "sent", "failed attempts", "bytes", "begins with"], rows)
    if found["more"]:
        say("there are more than these")


def _peek_local(application: str, grain: str, limit: int, as_json: bool, platform: Platform) -> None:
    found = platform.get(application_path(application, "local-queues", grain, "events"), limit=limit)
    if as_json:
        show_json(found)
        return
    rows = [
        (
            e["eventId"],
            e.get("host"),
            e["version"],
            when(e["queuedMs"]),
            e["attempt"],
            e["bytes"],
            _preview(e, e["contentType"]),
        )
        for e in found["events"]
    ]
    show_table(["event", "host", "version", "came", "attempt", "bytes", "begins with"], rows)
    if found["more"]:
        say("there are more than these")
    _say_silent(found)


def _preview(event: dict[str, Any], otherwise: str) -> str:
    """In ASCII: it is somebody's input, and the table somebody's terminal."""
    if event.get("isBase64Encoded") or "preview" not in event:
        return f"({otherwise})"
    return _cut(event["preview"].encode("unicode_escape").decode())


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _beginning(message: dict[str, Any]) -> str:
    if message.get("isBase64Encoded") or "payload" not in message:
        return f"({message['contentType']})"
    return _cut(json.dumps(message["payload"], ensure_ascii=True))


@queues_command.command("topics")
@click.argument("topic", required=False)
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True, help="Records of TOPIC.")
@click.option("--newest", is_flag=True, help="Its last records in place of its first.")
@output_option
@server_option
def topics(topic: str | None, limit: int, newest: bool, as_json: bool, platform: Platform) -> None:
    """All topics of the platform on the global bus; the first records of TOPIC, which stay where they are. For the operator."""
    if topic is None:
        if newest:
            raise click.UsageError("--newest wants a topic")
        found = _all_topics(platform)
        if as_json:
            show_json({"topics": found})
        else:
            _show_topics(found)
        return
    found = platform.get(path_to("/api/v1/topics", topic, "records"), limit=limit, newest="true" if newest else None)
    if as_json:
        show_json(found)
        return
    rows = [
        (r["partition"], r["offset"], when(r["atMs"]) if "atMs" in r else None, r["bytes"], _preview(r, "no text"))
        for r in found["records"]
    ]
    show_table(["partition", "offset", "came", "bytes", "begins with"], rows)
    if found["more"]:
        say("there are more than these")


@queues_command.command("send")
@click.argument("application")
@click.argument("queue")
@click.option("--data", metavar="JSON", help="The message; by default null.")
@click.option("--file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The message, as bytes.")
@click.option("--group", help="Messages of one group are worked on in order.")
@click.option("--id", "key", metavar="ID", help="The message's id: sent twice, it is delivered once.")
@output_option
@server_option
def send(
    application: str,
    queue: str,
    data: str | None,
    file: Path | None,
    group: str | None,
    key: str | None,
    as_json: bool,
    platform: Platform,
) -> None:
    """Send a message to QUEUE; it is kept when the command returns."""
    if data is not None and file is not None:
        raise click.UsageError("--data or --file, not both")
    body = file.read_bytes() if file else (data or "null").encode()
    headers = {"Content-Type": "application/octet-stream" if file else "application/json"}
    if key is not None:
        headers["Idempotency-Key"] = key
    path = application_path(application, "queues", queue)
    done = platform.call("POST", path, query={"group": group}, body=body, headers=headers).json()
    if as_json:
        show_json(done)
    else:
        say(f"message {done['id']} is in {queue} of {application}")
