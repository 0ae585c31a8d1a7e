"""Writes a line to each standard stream."""

import sys


def handle(event, context):
    print("out", event)
    print("err", event, file=sys.stderr)
