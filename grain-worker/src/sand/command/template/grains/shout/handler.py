"""Makes a greeting loud: gets the output of `greet` from the workflow."""


def handle(event, context):
    return {"greeting": event["greeting"].upper()}
