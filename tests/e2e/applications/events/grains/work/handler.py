"""Writes down what it got, in order: one list for each group of messages."""

import time


def handle(event, context):
    kind = event.get("group") or event.get("trigger") or event.get("operation")
    place = context.data.counter(f"count/{kind}")
    context.data.put(f"begun/{kind}/{place:05d}", event)
    time.sleep(event.get("sleep", 0))
    context.data.put(f"ended/{kind}/{context.data.counter(f'ends/{kind}'):05d}", event)
