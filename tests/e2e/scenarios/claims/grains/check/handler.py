class Fraud(Exception):
    pass


class Busy(Exception):
    pass


def handle(event, context):
    if event["claim"] == "fraud":
        raise Fraud("seen before")
    if event["claim"] == "busy" and context.data.counter(f"tries/{event['case']}") < 3:
        raise Busy
    if event["claim"] == "broken":
        return {}["nothing"]
    return f"{event['claim']} checked"
