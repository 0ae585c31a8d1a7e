def handle(event, context):
    for number in range(event):
        print(f"chatter {number} of {event}")
