"""Publishes its event to the grain echo and returns nothing."""


def handle(event, context):
    context.publish("echo", event)
