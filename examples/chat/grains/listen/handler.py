"""Waits until something was said that the member has not heard, and gives all of it. Of lines that were given nothing is kept:
when this attempt does not end well, they are in their places again."""

from sand import SELF

MOST = 100


def handle(event, context):
    """:param event: {"name", "seconds" to wait at most}; returns a list of {"name", "text", "at" in seconds}"""
    process, name = context.process, event["name"]
    if not process.state(f"member/{name}"):
        raise LookupError(f"{name} is not in room {process.id}")
    lines = []
    wait = min(event.get("seconds", 60), 60)
    while len(lines) < MOST and (line := process.recv(SELF, f"for/{name}", timeout=wait)) is not None:
        lines.append(line)
        wait = 0
    return lines
