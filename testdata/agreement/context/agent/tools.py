def serve(token, args):
    print(len(token or ""), args)
