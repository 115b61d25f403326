# Accounts in every way that makes or changes them.
FROM localhost/agreement-base
RUN groupadd -g 4000 crew && useradd -u 4001 -g crew -G disk,staff -m -d /home/one one
RUN adduser --disabled-password --gecos "" --uid 4002 two && adduser two crew
RUN useradd -o -u 0 -g 0 toor && passwd -d one && usermod -s /bin/sh two
RUN echo 'three:x:4003:4000::/:/bin/sh' >> /etc/passwd && echo '%crew ALL=(root) NOPASSWD: /usr/bin/id' > /etc/sudoers.d/crew
USER one
CMD ["id"]
