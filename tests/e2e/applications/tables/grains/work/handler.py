"""Changes what others change at the same time."""

import sand


def handle(event, context):
    return ACTIONS[event["do"]](event, context)


def everything(event, context):
    """A counter, a list, and under the lock a value that is read, changed and written."""
    data = context.data
    table = data.table("shared")
    with table.transaction() as both:
        both.add("count")
        both.append("order", event["who"])
        both.add_members("kinds", event["who"] % 3)
        both.set_field("by", f"w{event['who']}", context.execution_id)
    with data.lock("sum", seconds=20, wait=50, partition="shared") as lock:
        total = lock.table.get("total", 0)
        lock.table.put("total", total + event["who"])
    return lock.token


def look(event, context):
    table = context.data.table("shared")
    with table.transaction() as all_of_it:
        seen = {key: all_of_it.get(key) for key in ("count", "order", "kinds", "by", "total")}
    return {key: one.value for key, one in seen.items()}


def take_over(event, context):
    """Waits for the lock of a holder that died, and writes under it."""
    with context.data.lock("dead", seconds=5, wait=40) as lock:
        lock.table.put("written", "by the second")
        return lock.token


def write_late(event, context):
    table = context.data.table()
    try:
        with table.transaction() as late:
            late.check_lock("dead", event["token"])
            late.put("written", "too late")
    except sand.Conflict as lost:
        return [str(lost), table.get("written")]


def objects(event, context):
    store = context.data.objects
    large = bytes(range(256)) * 8192
    store.put("large", large)
    info = store.info("large")
    store.write("large", 700_000, b"x" * 600_000)
    expected = large[:700_000] + b"x" * 600_000 + large[1_300_000:]
    whole = store.read("large") == expected
    middle = store.read("large", 699_999, 3) == b"_xx"
    store.resize("large", 10)
    store.put("json", {"a": [1, 2]})
    try:
        store.put("json", 1, if_version=99)
    except sand.Conflict as conflict:
        refused = str(conflict)
    return [
        info.size,
        len(info.sha256),
        whole,
        middle,
        store.read("large") == large[:10],
        store.get("json"),
        store.list(),
        refused,
    ]


ACTIONS = {one.__name__: one for one in (everything, look, take_over, write_late, objects)}
