# drop=unknown env=ok  the uid comes from the command line
import argparse
import os
import agentrt

p = argparse.ArgumentParser()
p.add_argument("--uid", type=int, default=1000)
args = p.parse_args()
os.environ.clear()
os.setgroups([])
os.setgid(args.uid)
os.setuid(args.uid)
agentrt.serve()
