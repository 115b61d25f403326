# Stands for the agent. It shows that it has the session, and then what code that it
# runs can get at.

import hashlib
import os
import sys

from sandbox import execute

PROBE = r"""
import ctypes, errno, json, os

def attempt(action, *args):
    try:
        return str(action(*args))
    except OSError as e:
        return errno.errorcode[e.errno]

def read(path):
    with open(path, "rb") as f:
        return f.read(1 << 20).decode(errors="replace")

def trace(pid):
    PTRACE_SEIZE = 0x4206
    if ctypes.CDLL(None, use_errno=True).ptrace(PTRACE_SEIZE, pid, None, None) == -1:
        raise OSError(ctypes.get_errno(), "ptrace")
    return "seized"

parent = os.getppid()
of = "/proc/%d/" % parent
status = dict(line.split(":", 1) for line in read("/proc/self/status").splitlines())
print(json.dumps({
    "ids": [*os.getresuid(), *os.getresgid()],
    "groups": os.getgroups(),
    "status": {name: status[name].strip() for name in ("NoNewPrivs", "CapPrm", "CapEff", "CapAmb")},
    "environ": dict(os.environ),
    "first": read("/proc/self/environ"),
    "descriptors": [n for n in range(3, 256) if attempt(os.fstat, n) != "EBADF"],
    "arguments": [read("/proc/self/cmdline"), read(of + "cmdline")],
    "root": {
        "setuid": attempt(os.setuid, 0), "setresuid": attempt(os.setresuid, 0, 0, 0),
        "setgid": attempt(os.setgid, 0), "setgroups": attempt(os.setgroups, [0]),
    },
    "parent": {
        "environ": attempt(read, of + "environ"), "mem": attempt(read, of + "mem"),
        "maps": attempt(read, of + "maps"), "fd": attempt(os.listdir, of + "fd"), "ptrace": attempt(trace, parent),
    },
}))
"""

# Leaves a process behind that has a session of its own, and says which.
LEAVE = r"""
import os, time
child = os.fork()
if child:
    print(child)
else:
    os.setsid()
    time.sleep(600)
"""


def run(session):
    task = sys.argv[1] if len(sys.argv) > 1 else "probe"
    if task == "probe":
        print(hashlib.sha256(session["SESSION_TOKEN"].encode()).hexdigest(), flush=True)
        status, output = execute([sys.executable, "-I", "-c", PROBE])
        sys.stdout.buffer.write(output)
    elif task == "leave":
        status, output = execute([sys.executable, "-I", "-c", LEAVE])
        try:
            os.kill(int(output), 0)
            print("still there")
        except ProcessLookupError:
            print("gone")
    elif task == "late":
        print(execute(["sleep", "600"], seconds=0.1)[0])
    elif task == "wait":
        print("ready", flush=True)
        execute(["sleep", "600"], seconds=600)
