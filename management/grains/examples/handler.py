"""Applications to begin with: those of `examples/`, with a first input to run, and whether they are deployed already."""

from manage import Reply, check, expect, serve

EXAMPLES = (
    ("web-site", "A web site", "Static files through routes: pages, style sheets, pictures.", None, None),
    ("mail-scanner", "A mail scanner", "A workflow that looks at each part of a mail at the same time.", None, None),
    ("stream-analytics", "Analytics of a stream", "Languages and frequent words of short messages.", "main", {"top": 10}),
    ("image-pipeline", "An image pipeline", "Photographs: metadata, faces and cats, a thumbnail.", None, None),
    ("chat", "A chat", "Each room is a cloud process.", None, None),
    ("state-types", "States of workflows", "One of each type that the language has.", None, None),
)


def list_examples(request):
    deployed = {check.without_tenant(each["name"]) for each in expect(request, "listApplications", {})["applications"]}
    return Reply(200, {"examples": [_shown(*example, deployed) for example in EXAMPLES]})


def _shown(name, title, description, target, first, deployed):
    shown = {"name": name, "title": title, "description": description, "deployed": name in deployed}
    return shown if target is None else {**shown, "target": target, "input": first}


handle = serve({"listExamples": ("read", list_examples)})
