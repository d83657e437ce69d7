# The operator: one program, the libraries that it loads, and nothing else; no shell.
#   docker build -f docker/operator.Dockerfile -t ganscale-operator .
# Instead of compiling, take what is built:
#   docker/collect.sh operator build/release build/image/operator
#   docker build -f docker/operator.Dockerfile -t ganscale-operator build/image/operator
# Another base: docker build --build-context base=docker-image://IMAGE, or buildah build --from IMAGE.
FROM debian:bookworm-20261005-slim@sha256:7c7b2c966bc9ee8cedfeef67e0e279108992c77681fa595db4a9d65c06ccc587 AS base

FROM base AS programs
COPY . /image
RUN if [ -e /image/scripts/setup.sh ]; then \
      mv /image /src && cd /src && \
      scripts/setup.sh build && scripts/build.sh release ganscale-operator && \
      docker/collect.sh operator build/release /image; \
    fi

FROM scratch
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="ganscale-operator" \
      org.opencontainers.image.description="Turns GanTraining resources into MPIJobs and sees them through" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=programs /image/ /
USER 65532:65532
EXPOSE 8080 8081
ENTRYPOINT ["/usr/local/bin/ganscale-operator"]
CMD ["run"]
