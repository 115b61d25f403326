# drop=unknown env=unknown  the drop is in a text that is executed
import os
import agentrt

os.environ.clear()
exec("os.setgroups([]); os.setgid(1000); os.setuid(1000)")
agentrt.serve()
