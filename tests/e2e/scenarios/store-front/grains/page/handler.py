import json


def handle(event, context):
    if event["method"] == "POST":
        headers = {"Location": "items/9", "Set-Cookie": ["a=1", "b=2"]}
        return {"status": 201, "headers": headers, "body": json.loads(event["body"])}
    if event["parameters"]["id"] == "0":
        return {"status": 404, "body": "no such item\n"}
    if event["parameters"]["id"] == "bad":
        return {"status": 999}
    return {"id": event["parameters"]["id"], "path": event["path"], "query": event["query"], "raw": event["rawQuery"]}
