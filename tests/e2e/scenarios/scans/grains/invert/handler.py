import sand


def handle(event, context):
    return sand.Response(bytes(255 - byte for byte in event), "image/x-raw")
