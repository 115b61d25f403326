# How root is given up, and how untrusted code is run. Nothing here is particular to
# your agent.

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import tempfile

UID = GID = {{.UID}}
WORKSPACE = "/workspace"
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": WORKSPACE, "LANG": "C.UTF-8"}

# Options of prctl(2).
PR_SET_DUMPABLE = 4
PR_SET_NO_NEW_PRIVS = 38

prctl = ctypes.CDLL(None, use_errno=True).prctl
prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4


def drop_root():
    # The uid comes last: after it nothing more can be given up.
    os.setgroups([])
    os.setgid(GID)
    os.setuid(UID)
    # From here on no program that is started gains anything, setuid or not. And no
    # process of the same user may read the memory or the first environment of this
    # one: a change of uid does that, unless the host is set up otherwise
    # (fs.suid_dumpable).
    if prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        sys.exit("dropping root: prctl: errno %d" % ctypes.get_errno())
    if os.getresuid() != (UID, UID, UID) or os.getresgid() != (GID, GID, GID) or os.getgroups():
        sys.exit("dropping root: an id or a group is left")
    try:
        os.setuid(0)
    except PermissionError:
        return
    sys.exit("dropping root: there is a way back")


def execute(argv, seconds=60, limit=1_000_000):
    # Runs a program that is not trusted, one at a time, in a process of its own: what
    # this one holds, the session above all, is out of its reach. Gives its status, and
    # the first bytes that it wrote.
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            argv,
            env=ENVIRONMENT,
            cwd=WORKSPACE,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            close_fds=True,
            start_new_session=True,
        )
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        finally:
            end(child)
        output.seek(0)
        return child.returncode, output.read(limit)


def end(child):
    # The first process of a container ends all others that run as its user, and
    # collects those that were left to it. Any other ends the session of its child.
    first = os.getpid() == 1
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1 if first else -child.pid, signal.SIGKILL)
    child.wait()
    with contextlib.suppress(ChildProcessError):
        while first:
            os.waitpid(-1, 0)
