# find in the ways that do, and do not, delete.
FROM localhost/agreement-base
COPY agent /one/agent
COPY agent /two/agent
COPY agent /three/agent
COPY agent /four/agent
COPY agent /five/agent
RUN find /one -name plugins -prune -o -name '*.py' -delete; true
RUN find /two -name plugins -prune -o -name '*.py' -print | xargs rm -f
RUN find /three -maxdepth 2 -type f \( -name 'main*.py' -o -name tools.py \) -delete
RUN find /four -name main.py -o -name tools.py -delete
RUN cd /five/agent && for f in *.py plugins/*.py; do rm "$f"; done && (cd / && rm -rf nothing)
RUN useradd sandbox
USER sandbox
CMD ["sh"]
