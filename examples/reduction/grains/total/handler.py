"""A worker's function: sends its sum to the root, as a message that invokes `combine` there, and begins anew."""


def handle(event, context):
    """:param event: {"root": a process, "round": a name for what belongs together}"""
    process = context.process
    kept = process.state("sum")
    if kept is None:
        raise ValueError(f"process {process.id} has added nothing up")
    process.send(event["root"], f"invoke:combine:{event['round']}", kept)
    process.delete_state("sum")
