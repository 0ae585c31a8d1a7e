"""Gives more than an event of a history shows."""


def handle(event, context):
    return {"n": event, "text": "x" * 300_000}
