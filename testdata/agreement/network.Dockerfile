# A login server, open ports and TLS that checks nothing. Needs a mirror.
FROM localhost/agreement-base
RUN apt-get update && apt-get install -y --no-install-recommends openssh-server && rm -rf /var/lib/apt/lists/*
ENV PYTHONHTTPSVERIFY=0 \
    CONTROL_PLANE_URL=http://control.example:8080
RUN mkdir -p /root/.config/pip && printf '[global]\ntrusted-host = pypi.example\n' > /root/.config/pip/pip.conf
RUN useradd -m sandbox && mkdir -p /run/sshd
EXPOSE 22 5900-5901 8080/udp
USER sandbox
HEALTHCHECK --interval=30s CMD curl -fk https://localhost:8080/ || exit 1
CMD ["python3", "-m", "http.server", "--bind", "0.0.0.0"]
