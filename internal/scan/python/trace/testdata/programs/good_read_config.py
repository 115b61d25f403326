# drop=ok env=ok  a configuration is read line by line before the drop
import json
import logging
import os
import agentrt

log = logging.getLogger("boot")

def read(path):
    values = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            key, _, value = line.partition("=")
            values[key.strip().lower()] = value.strip().strip('"')
    return values

def main():
    try:
        conf = read("/etc/agent/agent.conf")
    except FileNotFoundError:
        conf = {}
    limits = json.loads(conf.get("limits", "{}"))
    log.info("limits: %s", ", ".join(f"{k}={v}" for k, v in limits.items()))
    os.environ.clear()
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    agentrt.serve(limits=limits)

if __name__ == "__main__":
    main()
