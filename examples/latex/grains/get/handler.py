"""The newest version of a file."""


def handle(event, context):
    """:param event: {"name"}"""
    text = context.process.state(f"file/{event['name']}")
    if text is None:
        raise LookupError(f"the document has no file {event['name']}")
    return {"name": event["name"], "text": text}
