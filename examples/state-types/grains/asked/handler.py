"""The token that was kept for an order, or null."""


def handle(event, context):
    return context.data.get(f"asked/{event}")
