"""What a function does in its process: state, a message to itself, an invocation, and the data layer beside it."""

import sand


def handle(event, context):
    process, data = context.process, context.data
    process.state("kept", event)
    process.send(sand.SELF, "note", event)
    process.recv(sand.SELF, "note")
    process.invoke(process.id, "echo", event).result()
    data.put("value", event)
    data.get("value")
    data.objects.put("object", event)
    data.objects.get("object")
    return len(process.state_keys())
