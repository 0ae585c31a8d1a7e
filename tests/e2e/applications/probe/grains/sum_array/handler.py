"""Sums an array and says how it came: the mapping it lies in, and how much memory of one's own the process has."""


def handle(event, context):
    address = event.__array_interface__["data"][0]
    with open("/proc/self/maps") as maps:
        mapping = next(line for line in maps if lies_in(address, line.split()[0]))
    with open("/proc/self/status") as status:
        anonymous = next(int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon"))
    return {
        "sum": int(event.sum()),
        "writeable": bool(event.flags.writeable),
        "mapping": mapping.split(maxsplit=5)[5].strip() if len(mapping.split(maxsplit=5)) > 5 else "",
        "permissions": mapping.split()[1],
        "anonymous": anonymous,
    }


def lies_in(address, limits):
    first, last = (int(limit, 16) for limit in limits.split("-"))
    return first <= address < last
