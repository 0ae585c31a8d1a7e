"""A grain that does nothing."""

import json  # noqa: F401 - what a small grain imports


def handle(event, context):
    return event
