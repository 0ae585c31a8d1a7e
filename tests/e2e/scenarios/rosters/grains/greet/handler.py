def handle(event, context):
    row = event["row"]
    if row["name"] == "Nobody":
        raise LookupError("nobody is there")
    return {"greeting": f"Hello, {row['name']} of {row['town']}!", "from": event["from"]}
