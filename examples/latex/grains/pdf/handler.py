"""The document as it was last compiled."""

import sand


def handle(event, context):
    pdf = context.process.state("pdf")
    if pdf is None:
        raise LookupError("the document has not been compiled")
    return sand.Response(pdf, "application/pdf")
