def handle(event, context):
    return inner(event)


def inner(event):
    raise KeyError("no such thing")
