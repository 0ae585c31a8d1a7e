"""Says something to all who are in the room: a message for each in the room's own mailbox, which waits until it is heard."""

import time

from sand import SELF

LONGEST = 2000


def handle(event, context):
    """:param event: {"name", "text"}; returns for how many it is"""
    process, name, text = context.process, event["name"], event["text"]
    if not process.state(f"member/{name}"):
        raise LookupError(f"{name} is not in room {process.id}")
    if not 1 <= len(text) <= LONGEST:
        raise ValueError(f"what is said has 1 to {LONGEST} characters")
    line = {"name": name, "text": text, "at": int(time.time())}
    members = [key.removeprefix("member/") for key in process.state_keys() if key.startswith("member/")]
    for member in members:
        process.send(SELF, f"for/{member}", line)
    return len(members)
