# drop=ok env=ok  a process of multiprocessing drops and works
import multiprocessing
import os
import agentrt

def work(token):
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    agentrt.serve(token)

if __name__ == "__main__":
    token = os.environ.pop("SESSION_TOKEN")
    os.environ.pop("CONTROL_PLANE_URL")
    os.environ.pop("SESSION_ID")
    p = multiprocessing.Process(target=work, args=(token,))
    p.start()
    p.join()
