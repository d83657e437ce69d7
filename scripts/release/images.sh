#!/usr/bin/env bash
# Builds the images of the worker and the operator from this commit, pushes them, and lists them by digest in OUT/images.txt.
#   scripts/release/images.sh OUT REGISTRY/FOLDER
# For CPUs: docker/worker.Dockerfile says how to build the worker for GPUs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=$1 registry=$2
version=$(sed -n 's/^project(ganscale VERSION \([^ ]*\).*/\1/p' CMakeLists.txt)
mkdir -p "$out"
: >"$out/images.txt"

#   publish DOCKERFILE NAME
publish() {
  local image=$registry/$2:$version
  docker build -f "docker/$1.Dockerfile" -t "$image" --build-arg "VERSION=$version" \
    --build-arg "REVISION=$(git rev-parse HEAD)" .
  docker push "$image"
  docker inspect --format '{{index .RepoDigests 0}}' "$image" >>"$out/images.txt"
}

publish worker ganscale
publish operator ganscale-operator
