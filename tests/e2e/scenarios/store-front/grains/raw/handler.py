def handle(event, context):
    told = {"got": event["body"], "encoded": event["isBase64Encoded"], "method": event["method"]}
    return told | {"x": event["headers"].get("x-a")}
