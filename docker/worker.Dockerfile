# The worker: ganscale, Open MPI and sshd, for pods of an MPIJob and for mpirun on one machine.
#   docker build -f docker/worker.Dockerfile -t ganscale:VERSION .                                CPU
#   docker build -f docker/worker.Dockerfile -t ganscale:VERSION-cuda --build-arg PRESET=cuda .   GPU
# Instead of compiling, take what is built on a machine of the base's release:
#   docker/collect.sh worker build/release build/image/worker
#   docker build -f docker/worker.Dockerfile -t ganscale build/image/worker
# Another base: docker build --build-context base=docker-image://IMAGE, or buildah build --from IMAGE.
FROM debian:bookworm-20261005-slim@sha256:7c7b2c966bc9ee8cedfeef67e0e279108992c77681fa595db4a9d65c06ccc587 AS base

FROM base AS programs
ARG PRESET=release
ARG REVISION
COPY . /image
RUN if [ -e /image/scripts/setup.sh ]; then \
      mv /image /src && cd /src && \
      tiers=build && if [ "$PRESET" = cuda ]; then tiers=cuda; fi && \
      scripts/setup.sh $tiers && GANSCALE_COMMIT=$REVISION scripts/build.sh "$PRESET" ganscale && \
      docker/collect.sh worker "build/$PRESET" /image; \
    fi

FROM base
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="ganscale" \
      org.opencontainers.image.description="Trains GANs on many GPUs: one process each, MPI and NCCL" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=programs /image/packages.txt /tmp/packages.txt
# Host keys come with each MPIJob; none is baked in. sshd would tell of every readiness probe. Ubuntu's images have a user 1000.
# The emoji are a first dataset that every cluster has (docs/kubernetes.md): a font, and of unicode-data the list of their groups.
RUN export DEBIAN_FRONTEND=noninteractive && apt-get update && \
    xargs -a /tmp/packages.txt apt-get install -y --no-install-recommends \
      ca-certificates fonts-noto-color-emoji openmpi-bin openssh-client openssh-server procps tini unicode-data && \
    find /usr/share/unicode -mindepth 1 -maxdepth 1 ! -name emoji -exec rm -rf {} + && \
    rm -rf /tmp/packages.txt /etc/ssh/ssh_host_* /var/lib/apt/lists/* /var/cache/apt /var/cache/debconf/*-old \
      /var/log/*.log /var/log/apt /usr/share/man/* /usr/share/locale/* && \
    find /usr/share/doc -type f ! -name copyright -delete && \
    mkdir -p /run/sshd && \
    { userdel -r ubuntu 2>/dev/null || true; } && \
    useradd --create-home --uid 1000 mpiuser && \
    install -d -m 700 -o mpiuser -g mpiuser /home/mpiuser/.ssh && \
    printf '%s\n' 'Host *' '  Port 2222' '  StrictHostKeyChecking no' '  UserKnownHostsFile /dev/null' '  LogLevel ERROR' \
      > /etc/ssh/ssh_config.d/ganscale.conf && \
    printf '%s\n' 'Port 2222' 'HostKey /root/.ssh/id_rsa' 'PidFile none' 'StrictModes no' 'PasswordAuthentication no' \
      'PermitRootLogin prohibit-password' 'LogLevel FATAL' > /etc/ssh/sshd_config.d/ganscale.conf && \
    printf '%s\n' 'Port 2222' 'HostKey /home/mpiuser/.ssh/id_rsa' 'PidFile none' 'StrictModes no' \
      'PasswordAuthentication no' 'UsePAM no' \
      'LogLevel FATAL' > /home/mpiuser/.sshd_config
COPY --from=programs /image/usr/local/lib /usr/local/lib
COPY --from=programs /image/usr/local/share /usr/local/share
COPY --from=programs /image/etc /etc
COPY --from=programs /image/usr/local/bin /usr/local/bin
RUN ldconfig && cd /usr/local/share/ganscale && \
    { dpkg-query -W -f '${Package} ${Version}\n'; sed 's/^/wheel:/' wheels.txt; } | \
    sh sbom.sh ganscale "${VERSION}" > sbom.spdx && rm sbom.sh wheels.txt
# Containers forbid the system call that Open MPI would copy with, and it says so at length.
# When a rank dies, mpirun ends the others with SIGTERM, on which those that can write a checkpoint, and by SIGKILL seconds later.
# To a container with GPUs, NVIDIA's runtime adds the driver's libraries for these, unless the driver is too old for LibTorch's CUDA.
ENV OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_odls_base_sigkill_timeout=30 \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility NVIDIA_REQUIRE_CUDA=cuda>=13.0
# By number: a kubelet with runAsNonRoot knows no names.
USER 1000:1000
WORKDIR /home/mpiuser
EXPOSE 2222 9400 9401
ENTRYPOINT ["/usr/bin/tini", "--", "/usr/local/bin/ganscale-entrypoint"]
CMD ["ganscale", "--help"]
