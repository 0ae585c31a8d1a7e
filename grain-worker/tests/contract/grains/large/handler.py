"""Returns as many zero bytes as the event says; given bytes, how many there are."""


def handle(event, context):
    return bytes(event) if isinstance(event, int) else len(event)
