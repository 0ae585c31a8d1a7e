"""How often each step of an order has run."""


def handle(event, context):
    return {step: context.data.get(f"{event}/{step}") for step in ("first", "whole", "broken")}
