def handle(event, context):
    table = context.data.table("things")
    tags = table.set("tags")
    added = tags.add("a", "b", "a", True, 1)
    queue = table.list("queue")
    length = queue.append(1, 2, 3, 2)
    removed = queue.remove(2)
    first = queue.pop_first()
    fields = table.map("fields")
    fields.set("x", 1)
    count = fields.set("y", [2])
    return [added, tags.get(), length, removed, first, queue.get(), count, fields.remove("x"), fields.remove("x"), fields.get()]
