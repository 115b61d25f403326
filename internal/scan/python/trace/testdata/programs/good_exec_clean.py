# drop=ok env=ok
import os
import agentrt

def clean_environment():
    keep = {"PATH", "HOME", "LANG"}
    env = {key: value for key, value in os.environ.items() if key in keep}
    env["HOME"] = "/home/sandbox"
    env.setdefault("LANG", "C.UTF-8")
    return env

def main():
    env = clean_environment()
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    os.chdir("/")
    os.execve(agentrt.PROBE, [agentrt.PROBE, "--serve"], env)

main()
