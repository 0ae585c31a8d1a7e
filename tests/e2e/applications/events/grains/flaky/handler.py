"""Fails as often as its message says."""


def handle(event, context):
    tries = context.data.counter(f"tries/{event['name']}")
    if tries <= event["fails"]:
        raise ValueError(f"attempt {tries} fails")
    context.data.put(f"done/{event['name']}", tries)
