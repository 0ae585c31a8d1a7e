import sand


def handle(event, context):
    lock = context.data.lock(event["row"], seconds=event.get("seconds", 600))
    got = lock.acquire()
    token = lock.token
    if got and event.get("writes"):
        lock.table.put("seat", event["writes"])
    released = lock.release() if event.get("releases") else None
    if released:
        try:
            lock.table.put("seat", "late")
        except sand.Conflict:
            return [got, token, released, "refused", context.data.table().get("seat")]
    return [got, token, released]
