"""What an application's grains share: {"do": "put", "key": …, "value": …} and the like."""


def handle(event, context):
    data = context.data
    match event:
        case {"do": "put", "key": key, "value": value}:
            return data.put(key, value)
        case {"do": "get", "key": key}:
            return data.get(key)
        case {"do": "list"}:
            return data.list()
        case {"do": "count", "key": key}:
            return data.counter(key)
