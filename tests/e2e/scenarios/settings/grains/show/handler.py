import os

import inside

LOADED = []


def handle(event, context):
    LOADED.append(1)
    told = {"env": context.env, "seen": os.environ["COLOUR"], "loaded": len(LOADED), "inside": inside.WORD}
    told["here"] = [os.path.basename(os.getcwd()), context.application, context.grain, context.version, context.attempt]
    told["ids"] = context.invocation_id == f"{context.execution_id}/show"
    told["time"] = 0 < context.remaining_ms() <= 30_000
    return told
