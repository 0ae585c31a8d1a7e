"""Gives what is no JSON."""


def handle(event, context):
    return b"\x00\xff"
