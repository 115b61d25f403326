# Secrets where they do not belong. The script makes them up for each run.
FROM localhost/agreement-base
ARG API_TOKEN
ENV SESSION_TOKEN=${API_TOKEN} \
    AGENT_MODE=full
COPY . /app
RUN rm -f /app/.env
RUN echo "token=${API_TOKEN}" > /etc/agent.conf && printf '%s\n' "machine example.com password ${API_TOKEN}" >> /root/.netrc
LABEL build.token=$API_TOKEN
RUN useradd -u 10001 sandbox && rm -rf /app/agent
USER 10001
CMD ["sh", "-c", "echo ready"]
