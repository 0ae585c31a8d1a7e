// A first application of two grains and a workflow, as `sand init` has it.

const GREET = `"""Greets whoever is named: called with {"name": ...}."""


def handle(event, context):
    name = (event or {}).get("name", "world")
    context.logger.info("greeting", who=name)
    return {"greeting": f"Hello, {name}!"}
`;

const SHOUT = `"""Makes a greeting loud: gets the output of \`greet\` from the workflow."""


def handle(event, context):
    return {"greeting": event["greeting"].upper()}
`;

const MAIN = `{
  "Comment": "greet, then shout",
  "StartAt": "Greet",
  "States": {
    "Greet": {"Type": "Task", "Resource": "greet", "Next": "Shout"},
    "Shout": {"Type": "Task", "Resource": "shout", "End": true}
  }
}
`;

export const TEMPLATE: Readonly<Record<string, string>> = {
  "grains/greet/handler.py": GREET,
  "grains/shout/handler.py": SHOUT,
  "workflows/main.asl.json": MAIN,
};
