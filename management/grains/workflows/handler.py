"""Workflows of the live version, and whether a definition is one at all."""

from manage import Reply, ask, check, expect, serve
from manage.reply import Problem, bad_request, unknown

MOST_BYTES = 256 << 10


def list_workflows(request):
    """Without their definitions, which may be long."""
    live = expect(request, "describeApplication", {"app": check.application(request)})
    shown = [{"name": name, "timeoutMs": workflow.get("timeoutMs")} for name, workflow in sorted(live["workflows"].items())]
    return Reply(200, {"application": live["application"], "version": live["version"], "workflows": shown})


def describe_workflow(request):
    app, name = check.application(request), request.parameters.get("workflow")
    live = expect(request, "describeApplication", {"app": app})
    if not check.is_name(name) or name not in live["workflows"]:
        raise unknown("workflow", f"Version {live['version']} of application '{app}' has no workflow '{name}'.")
    return Reply(200, {"name": name, "version": live["version"], **live["workflows"][name]})


def validate(request):
    """What is wrong with a definition in Amazon States Language, each with a JSON pointer to its place."""
    body = check.body(request, "The body is an object with definition.", ("definition", "grains"))
    definition, grains = body.get("definition"), body.get("grains") or []
    if not isinstance(definition, str):
        raise bad_request('"definition" is the text of a workflow.', "/body/definition")
    size = len(definition.encode("utf-8", "replace"))
    if size > MOST_BYTES:
        detail = f"The definition has {size} bytes, the limit is {MOST_BYTES}."
        raise Problem(413, "body-too-large", "The body is over the limit", detail, limit=MOST_BYTES, actual=size)
    if not isinstance(grains, list) or len(grains) > 500 or not all(check.is_name(name) for name in grains):
        raise bad_request('"grains" is a list of at most 500 names.', "/body/grains")
    return ask(request, "validateWorkflow", {}, body={"definition": definition, "grains": grains})


handle = serve(
    {
        "listWorkflows": ("read", list_workflows),
        "describeWorkflow": ("read", describe_workflow),
        "validateWorkflow": ("read", validate),
    }
)
