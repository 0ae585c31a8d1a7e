"""Stays for as long as it is told, so that many calls are there at once."""

import time


def handle(event, context):
    time.sleep(event["seconds"])
    return None
