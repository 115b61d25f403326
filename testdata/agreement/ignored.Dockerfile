# An ignore file of its own, wildcards, and several sources.
FROM localhost/agreement-base
COPY . /app/
COPY agent/*.py settings.* /flat/
COPY agent/tools.py /flat/renamed.py
RUN useradd sandbox
USER sandbox
CMD ["sh"]
