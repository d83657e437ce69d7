#!/usr/bin/env bash
# Builds the images of the worker, for CPUs and for GPUs, and of the operator from this commit, pushes them, and lists them by digest
# in OUT/images.txt.
#   scripts/release/images.sh OUT REGISTRY/FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=$1 registry=$2
version=$(sed -n 's/^project(ganscale VERSION \([^ ]*\).*/\1/p' CMakeLists.txt)
mkdir -p "$out"
: >"$out/images.txt"

#   publish DOCKERFILE NAME:TAG [OPTION OF docker build...]
publish() {
  local image=$registry/$2 digest
  docker build -f "docker/$1.Dockerfile" -t "$image" --build-arg "VERSION=$version" \
    --build-arg "REVISION=$(git rev-parse HEAD)" "${@:3}" .
  docker push "$image"
  digest=$(docker inspect --format '{{index .RepoDigests 0}}' "$image")
  echo "$image@${digest#*@}" >>"$out/images.txt"
}

publish worker "ganscale:$version"
publish worker "ganscale:$version-cuda" --build-arg PRESET=cuda
publish operator "ganscale-operator:$version"
