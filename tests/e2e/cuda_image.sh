#!/usr/bin/env bash
# Builds the worker's image for GPUs from a finished CUDA build, and runs in it what needs no GPU.
#   tests/e2e/cuda_image.sh BUILD
# Exit code 77: this machine can't, or BUILD has no CUDA program; the reason is on standard error.
set -euo pipefail
build=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=tests/e2e/buildah.sh
. tests/e2e/buildah.sh
[ -x "$build/bin/ganscale" ] || skip "not built: $build/bin/ganscale (make cuda)"

image=localhost/ganscale-worker:cuda-test
docker/collect.sh worker "$build" build/image/worker-cuda
"${buildah[@]}" build --quiet --layers --network host -f docker/worker.Dockerfile --from "$base" \
  -t "$image" build/image/worker-cuda >/dev/null
photos=$(mktemp -d)
container=
trap '[ -z "$container" ] || "${buildah[@]}" rm "$container" >/dev/null; remove_unused_layers; rm -rf "$photos"' EXIT
PYTHONPATH=tests/support GANSCALE_WORKER="$build/bin/ganscale" /usr/bin/python3 -c \
  'import pathlib, sys, write_images; [write_images.write_png(pathlib.Path(sys.argv[1], f"{i}.png")) for i in range(8)]' "$photos"
chmod a+rx "$photos"
container=$("${buildah[@]}" from "$image")
inside() { "${buildah[@]}" run --user 1000:1000 --volume "$photos:/photos:ro" "$container" -- "$@"; }

fail() { say "FAILED: $*"; exit 1; }
#   expect WHAT PATTERN TEXT
expect() { [[ $3 =~ $2 ]] || fail "$1: expected $2 in: $3"; }

# What only a machine with a GPU has: the driver's libraries.
missing=$(inside sh -c 'find /usr/local/bin /usr/local/lib/ganscale -type f -exec ldd {} + 2>/dev/null; true' |
  awk '/not found/ { print $1 }' | sort -u | tr '\n' ' ')
expect "libraries that are missing" '^(libcuda\.so\.1 )?(libnvidia-ml\.so\.1 )?$' "$missing"

version=$(inside ganscale --version)
expect "ganscale --version" 'cuda +13.*nccl +2' "$version"
trained=$(inside ganscale bench --set model.name=dcgan --set training.device=cpu --set training.batch=4 --set model.channels=0.125 \
  --set measure.steps=1 --set measure.warmup_steps=1)
expect "a step on the CPU" 'dcgan on 1 x CPU' "$trained"
trained=$(inside ganscale train --data /photos --run /tmp/run --set training.batch=4 \
  --set training.total_kimg=0.008 2>&1) || fail "a training on the CPU: $trained"
expect "a training on the CPU, with all of its ports" 'Serving metrics.*Training is complete' "${trained//$'\n'/ }"
refused=$(inside ganscale bench --set model.name=dcgan --set training.device=gpu --set training.batch=4 2>&1) &&
  fail "a step on a GPU that is not there: $refused"
expect "a step on a GPU that is not there" 'a GPU was requested' "$refused"

about=$("${buildah[@]}" inspect --type image --format \
  '{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Env}}' "$image")
expect "user and entry point" '^1000:1000 \[/usr/bin/tini -- /usr/local/bin/ganscale-entrypoint\]' "$about"
expect "variables of NVIDIA's runtime" 'NVIDIA_DRIVER_CAPABILITIES=compute,utility' "$about"

say "$(($(du -sb build/image/worker-cuda | cut -f 1) / 1000000)) MB of programs and libraries in the image for GPUs"
