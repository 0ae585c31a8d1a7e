import sand


def handle(event, context):
    return sand.Response(context.data.objects.get(event), "application/x-freight")
