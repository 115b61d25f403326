# drop=ok env=ok
import os
import tenacity
import requests
import agentrt
@tenacity.retry(stop=tenacity.stop_after_attempt(3), reraise=True)
def register(token, url):
    response = requests.post(url, headers={"Authorization": f"Bearer {token}"}, timeout=5)
    response.raise_for_status()
    return response.json()
token = os.environ.pop("SESSION_TOKEN")
url = os.environ.pop("CONTROL_PLANE_URL")
sid = os.environ.pop("SESSION_ID")
config = register(token, url)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(config)
