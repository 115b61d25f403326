# Bytecode only, made in a stage of its own.
FROM localhost/agreement-base AS build
COPY agent /src/agent
RUN rm /src/agent/main_test.py && \
    python3 -m compileall -q -b /src && \
    find /src -name '*.py' -delete

FROM localhost/agreement-base
RUN useradd --system --uid 10001 --user-group --no-create-home sandbox
COPY --from=build --chown=root:root --chmod=0555 /src /app
WORKDIR /app
USER 10001:10001
ENTRYPOINT ["python3", "-m", "agent.main"]
