def handle(event, context):
    board = context.process
    board.state("gathered", {"key": board.invocation_key, "data": sorted(event)})
