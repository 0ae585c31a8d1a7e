"""Goes out of the room; what was not heard goes too."""

from sand import SELF


def handle(event, context):
    """:param event: {"name"}; returns whether the member was there"""
    process, name = context.process, event["name"]
    while process.recv(SELF, f"for/{name}", timeout=0) is not None:
        pass
    return process.delete_state(f"member/{name}")
