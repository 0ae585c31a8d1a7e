def handle(event, context):
    return {key: context.data.table().list(key).get() for key in event}
