from agent import tools

assert tools.serve("", []) is None
