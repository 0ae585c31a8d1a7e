"""A function that does nothing, for the functions framework."""

import functions_framework


@functions_framework.http
def noop(request):
    return request.get_json(silent=True) or {}
