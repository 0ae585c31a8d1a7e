class SoldOut(Exception):
    pass


def handle(event, context):
    if event["what"] in event.get("soldOut", []):
        raise SoldOut(event["what"])
    return f"{event['what']} for {event['who']}"
