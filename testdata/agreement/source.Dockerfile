# Sources as they are, as root.
FROM localhost/agreement-base
WORKDIR /app
COPY . .
EXPOSE 8000
CMD ["python3", "-m", "agent.main"]
