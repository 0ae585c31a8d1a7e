"""Moves money between accounts, all of it or nothing."""


def handle(event, context):
    accounts = context.data.table("accounts")
    with accounts.transaction() as all_of_it:
        if "expects" in event:
            all_of_it.check(event["from"], event["expects"])
        left = all_of_it.add(event["from"], -event["sum"])
        all_of_it.add(event["to"], event["sum"])
        all_of_it.append("journal", {"from": event["from"], "to": event["to"], "sum": event["sum"]})
    return {"left": left.number, "version": left.version}
