# drop=ok env=ok  an ExitStack that only closes files
import contextlib
import os
import agentrt

def main():
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(open("/var/log/agent.log", "a"))
        os.environ.clear()
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
        agentrt.serve(log)

main()
