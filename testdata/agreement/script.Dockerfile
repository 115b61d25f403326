# Commands in a script that the context brings, and some that nobody can foretell.
FROM localhost/agreement-base
COPY build.sh /tmp/build.sh
COPY agent /app/agent
RUN /tmp/build.sh /app && rm /tmp/build.sh
RUN python3 -c "open('/app/made.txt', 'w').write('x')"
RUN useradd sandbox
USER sandbox
CMD ["python3", "/app/agent/main.pyc"]
