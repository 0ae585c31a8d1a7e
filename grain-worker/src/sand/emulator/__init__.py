"""`sand emulate`: an application folder behind the platform's HTTP interface, on a laptop, in Python alone.

    http.py ──▶ invoke.py, web.py, control.py ──▶ executions.py ──▶ forked.py   real workers and instances, as in a sandbox
                        │                              │      └───▶ inline.py   handlers in this process, for a debugger
                        └─ manifest.py, applications.py └─ data.py, tables.py, objects.py, records.py, logs.py: in memory
    triggers.py (queue_run.py decides) ─▶ applications.py: messages, schedules and changes of data as executions

What the frontend, the host agent and the data layer decide is decided here by the same rules; handlers, context, bodies
and errors are the distribution's own code (worker.py, instance.py, context.py, values.py).
"""
