def handle(event, context):
    return [type(event).__name__, event if isinstance(event, (dict, list, str, int)) else len(event)]
