"""Whether it fired at all, each time for another second, with what goes along."""


def handle(event, context):
    fired = context.data.table().list("fired").get()
    times = [one["scheduled"] for one in fired]
    return [len(fired) >= 2, len(set(times)) == len(times), fired[0]["input"] if fired else None]
