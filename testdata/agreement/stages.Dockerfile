# Stages on stages, arguments in and out of scope, and stages that nothing needs.
ARG BASE=localhost/agreement-base
ARG VERSION=1
FROM ${BASE} AS common
ENV APP_HOME=/srv/app NAME="agent runner"
RUN useradd -u 2000 runner

FROM common AS lint
USER root
RUN false

FROM common AS build
ARG VERSION
COPY agent ${APP_HOME}/v${VERSION}/agent
RUN cd "$APP_HOME" && for d in v1 v2; do if [ -d "$d" ]; then python3 -m compileall -q -b "$d"; fi; done
RUN find "$APP_HOME" -name '*.py' -delete

FROM common AS final
ARG VERSION=2
ARG PORT
COPY --from=build ${APP_HOME} ${APP_HOME}
WORKDIR $APP_HOME/v${MISSING:-1}
EXPOSE ${PORT:-9000-9002}/tcp
USER ${RUNNER:-runner}
CMD exec python3 -m agent.main --name "$NAME"
