"""Compare-and-set: who read an old value reads again."""

import sand


def handle(event, context):
    for _ in range(200):
        highest, version = context.data.versioned("highest", 0)
        try:
            context.data.put("highest", highest + event, if_version=version)
            return "bid"
        except sand.Conflict:
            continue
    raise RuntimeError("given up")
