def handle(event, context):
    board = context.process
    if board is None:
        return "no process"
    return [board.id, board.state(event["key"]), board.recv(board.ANY, "hint", timeout=event.get("wait", 0))]
