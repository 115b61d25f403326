# drop=ok env=ok
import os
import sqlite3
import agentrt
db = sqlite3.connect(":memory:")
db.execute("create table x(y)")
with db:
    db.executemany("insert into x values (?)", [(1,), (2,)])
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(db)
