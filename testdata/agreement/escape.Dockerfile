# escape=`
# Odd spellings: another escape character, lower case, old ENV, quotes, SHELL.
from localhost/agreement-base as final
env OLD some value with spaces
env A=1 `
    # a comment within
    B="two words" C='$A' D=$A
shell ["/bin/bash", "-o", "pipefail", "-c"]
run useradd -u 3000 "worker" && echo "$B" > /etc/b
volume ["/data", "/var/run/docker.sock"]
onbuild user root
workdir data
copy --chown=3000 ["settings.toml", "agent/tools.py", "./"]
entrypoint ["python3"]
user "worker"
cmd ["tools.py"]
