import sand


def handle(event, context):
    return sand.Response(f"<svg><text>{event['label']}</text></svg>", "image/svg+xml")
