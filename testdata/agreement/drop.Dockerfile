# Starts as root and gives it up in a script.
FROM localhost/agreement-base
ARG UID=10001
RUN groupadd --gid "$UID" sandbox \
 && useradd --uid "$UID" --gid "$UID" --create-home sandbox
COPY --chmod=0755 entrypoint.sh /usr/local/bin/
COPY agent /opt/agent/agent
WORKDIR /opt/agent
RUN chmod -R go-w . && python3 -m compileall -q -b agent && find . -name '*.py' -delete
ENTRYPOINT ["entrypoint.sh"]
