# drop=ok env=bad  only the variables are deleted
import os
import agentrt

def main():
    token = os.environ["SESSION_TOKEN"]
    url = os.environ["CONTROL_PLANE_URL"]
    sid = os.environ["SESSION_ID"]
    client = agentrt
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    del token, url, sid
    client.serve()

main()
