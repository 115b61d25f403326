# drop=ok env=ok
import multiprocessing as mp
import os
import agentrt

def worker(queue):
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    agentrt.serve(queue)

def main():
    secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
    ctx = mp.get_context("fork")
    queue = ctx.Queue()
    proc = ctx.Process(target=worker, args=(queue,), daemon=True)
    proc.start()
    proc.join()

if __name__ == "__main__":
    main()
