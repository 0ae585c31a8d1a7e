"""Reads what the one before it has left, and leaves something of its own."""


def handle(event, context):
    process = context.process
    process.state("sum", shared=True)
    process.state("sum", event)
