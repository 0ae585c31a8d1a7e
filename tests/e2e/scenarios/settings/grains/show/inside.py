WORD = "beside the handler"
