"""Fails with an error named Oops and the event as its message."""


class Oops(Exception):
    pass


def handle(event, context):
    raise Oops(event)
