"""How long texts are; once somebody has mended it."""


def handle(event, context):
    if not context.data.get("mended"):
        raise RuntimeError("no measure")
    return {"times": event["made"]["times"], "lengths": [len(event["pad"]), len(event["made"]["text"])]}
