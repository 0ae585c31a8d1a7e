def handle(event, context):
    data = context.data
    found = {key: data.versioned(key) for key in data.list("page/")}
    return {"pages": found, "first": data.list("page/", limit=1), "gone": data.delete(event), "again": data.delete(event),
            "missing": data.versioned(event, "none")}  # fmt: skip
