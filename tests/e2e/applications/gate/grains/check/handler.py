class GateClosed(Exception):
    pass


def handle(event, context):
    if event["name"] == "closed":
        refuse_unless_open(context)
    return event


def refuse_unless_open(context):
    if context.data.get("open") is None:
        raise GateClosed("the gate is closed")
