"""Workflows of the live version."""

from manage import ask, check, serve
from manage.reply import bad_request


def list_workflows(request):
    """Without their definitions, which may be long."""
    return ask(request, "listWorkflows", {"app": check.application(request)})


def describe_workflow(request):
    app, name = check.application(request), request.parameters.get("workflow")
    if not check.is_name(name):
        raise bad_request(f"A workflow's name is {check.NAME}.", "/parameters/workflow")
    return ask(request, "describeWorkflow", {"app": app, "workflow": name})


handle = serve({"listWorkflows": ("read", list_workflows), "describeWorkflow": ("read", describe_workflow)})
