def handle(event, context):
    objects = context.data.objects
    objects.put("large", bytes(range(256)) * 8192)
    return [len(objects.read("large")), objects.read("large", 1 << 20, 4).hex()]
