"""A dynamic workflow: one event for `double` for every number (SAND 4.1)."""


def handle(event, context):
    for number in event["numbers"]:
        context.publish("double", {"number": number})
