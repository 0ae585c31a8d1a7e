from urllib.parse import parse_qs


def handle(event, context):
    return {"status": 200, "body": {"fields": parse_qs(event["body"]), "type": event["headers"]["content-type"]}}
