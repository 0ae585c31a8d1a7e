"""Reads all of the state, and says how much it is."""


def handle(event, context):
    process = context.process
    return sum(len(process.state(key, shared=True)) for key in process.state_keys())
