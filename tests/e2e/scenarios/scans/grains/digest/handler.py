import hashlib


def handle(event, context):
    return {"sha256": hashlib.sha256(event).hexdigest(), "size": len(event)}
