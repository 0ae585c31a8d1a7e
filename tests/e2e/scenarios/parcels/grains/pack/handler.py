import sand


def handle(event, context):
    return sand.Response(b"\0" * event["bytes"], "application/zip")
