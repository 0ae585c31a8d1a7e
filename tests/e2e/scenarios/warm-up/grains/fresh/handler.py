SEEN = []


def handle(event, context):
    SEEN.append(event)
    return len(SEEN)
