import os

SEEN = []


def handle(event, context):
    SEEN.append(event)
    return [len(SEEN), os.path.exists(f"/tmp/{context.application}")]
