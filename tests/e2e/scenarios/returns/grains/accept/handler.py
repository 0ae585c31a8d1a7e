def handle(event, context):
    tries = context.data.counter(f"tries/{event['id']}")
    if tries <= event["fails"]:
        raise ValueError(f"attempt {tries}")
    context.data.put(f"accepted/{event['id']}", tries)
