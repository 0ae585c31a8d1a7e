"""Comes into the room: from now on what is said there is kept until it is heard."""

import re

NAME = re.compile(r"[\w.-]{1,40}")


def handle(event, context):
    """:param event: {"name"}; returns the names of all who are in the room"""
    process, name = context.process, event["name"]
    if not NAME.fullmatch(name):
        raise ValueError("a name has 1 to 40 letters, digits, dots, dashes, underscores")
    # A key each: two who join at the same time do not write over each other.
    process.state(f"member/{name}", True)
    return [key.removeprefix("member/") for key in process.state_keys() if key.startswith("member/")]
