import base64


def handle(event, context):
    body = base64.b64encode(event["parameters"]["name"].encode()).decode()
    return {"status": 200, "headers": {"Content-Type": "image/gif"}, "body": body, "isBase64Encoded": True}
