# Owners and modes in every way that changes them.
FROM localhost/agreement-base
RUN useradd -r -u 10001 sandbox
COPY --chown=10001:10001 --chmod=0640 settings.toml /etc/agent/
COPY --chmod=777 build.sh /usr/local/bin/build.sh
RUN install -d -m 0777 /var/lib/agent && install -m 4755 -o root /bin/bash /usr/local/bin/rootsh
RUN mkdir -p /srv/a/b && touch /srv/a/b/state && chmod -R 777 /srv/a
RUN cp /usr/local/bin/build.sh /opt/build.sh && mv /opt/build.sh /opt/make.sh && ln -s /opt/make.sh /usr/local/bin/make-agent
RUN chown -R sandbox: /srv/a/b && chmod u+s,g+w /usr/bin/env && chmod 1777 /var/tmp
USER sandbox
CMD ["sh"]
