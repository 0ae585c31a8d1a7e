"""Bakes one bread: {"bread", "grams"}. Coal is not to be baked, and "once burnt" burns the first time."""


class Burnt(Exception):
    pass


def handle(event, context):
    bread = event["bread"]
    if bread == "coal" or (bread == "once burnt" and context.data.counter("burnt") == 1):
        raise Burnt(bread)
    return {"bread": bread, "grams": event.get("grams", 500)}
