def handle(event, context):
    return f"{event.get('word', 'hello')} {event['who']}"
