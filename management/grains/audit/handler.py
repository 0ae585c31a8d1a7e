"""Who changed what: the audit log, the newest first."""

from manage import ask, check, serve
from manage.reply import bad_request

LONGEST = 200


def list_audit(request):
    asked = {
        "before": check.execution(request, "before", "is no entry's id: 'before' takes the 'next' of an earlier answer."),
        "tenant": _word(request, "tenant"),
        "application": _word(request, "application"),
        "operation": _word(request, "operation"),
        "limit": check.number(request, "limit", 50, 1, 1000),
    }
    return ask(request, "listAudit", {}, asked)


def _word(request, name):
    """Of what there is no more there may be entries still: any word is looked for, but no book."""
    text = request.query.get(name)
    if text is not None and len(text) > LONGEST:
        raise bad_request(f"Query parameter '{name}' has {len(text)} characters, the limit is {LONGEST}.", f"/query/{name}")
    return text


handle = serve({"listAudit": ("admin", list_audit)})
