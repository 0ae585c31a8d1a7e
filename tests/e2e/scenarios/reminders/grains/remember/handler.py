def handle(event, context):
    context.data.table().list("fired").append(event)
