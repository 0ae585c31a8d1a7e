"""Writes a file of the document, or takes it away."""

import re

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


def handle(event, context):
    """:param event: {"name", "text"}; text None: it goes. Returns the names of all files"""
    process, name = context.process, event["name"]
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a file: letters, digits, dots, dashes, underscores, at most 100")
    if event["text"] is None:
        process.delete_state(f"file/{name}")
    else:
        process.state(f"file/{name}", event["text"])
    return [key.removeprefix("file/") for key in process.state_keys() if key.startswith("file/")]
