def handle(event, context):
    if "bad" in event["Items"]:
        raise ValueError("not a household")
    return {"where": event["BatchInput"]["where"], "people": sum(event["Items"])}
