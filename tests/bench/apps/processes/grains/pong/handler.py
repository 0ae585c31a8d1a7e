"""Sends back what `ping` sends; the same `event` but for `to`."""


def handle(event, context):
    process = context.process
    to, shared = event["to"], event["shared"]
    for _ in range(event["count"]):
        process.send(to, "ball", process.recv(to, "ball", shared=shared))
