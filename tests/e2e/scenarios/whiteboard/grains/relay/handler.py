"""Tells another process something, or itself."""


def handle(event, context):
    board = context.process
    to = board.SELF if event["to"] == "self" else event["to"]
    for data in event["say"]:
        board.send(to, event["key"], data)
    return len(event["say"])
