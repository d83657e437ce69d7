#!/usr/bin/env bash
# Builds both images with buildah on a Debian base made on the spot, from the programs of a finished build.
#   tests/e2e/images.sh BUILD OUT       OUT/{worker,operator,pause}.tar
# The base and the layers of Debian packages are kept in the user's cache folder.
# Exit code 77: this machine can't; the reason is on standard error.
set -euo pipefail
build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$project"

# shellcheck source=tests/e2e/buildah.sh
. tests/e2e/buildah.sh

for role in worker operator; do
  docker/collect.sh $role "$build" "build/image/$role"
  say "building the image of the $role"
  "${buildah[@]}" build --quiet --layers --network host -f "$project/docker/$role.Dockerfile" \
    --from "$base" -t "localhost/ganscale-$role:test" "build/image/$role" >/dev/null
  rm -f "$out/$role.tar"
  "${buildah[@]}" push --quiet "localhost/ganscale-$role:test" \
    "docker-archive:$out/$role.tar:localhost/ganscale-$role:test"
done

# The process of a pod's sandbox.
pause=$(tests/cluster/build-tools.sh pause)/pause
container=$("${buildah[@]}" from scratch)
"${buildah[@]}" copy --quiet "$container" "$pause" /pause >/dev/null
"${buildah[@]}" config --entrypoint '["/pause"]' "$container"
"${buildah[@]}" commit --quiet "$container" localhost/ganscale-pause:test >/dev/null
"${buildah[@]}" rm "$container" >/dev/null
rm -f "$out/pause.tar"
"${buildah[@]}" push --quiet localhost/ganscale-pause:test \
  "docker-archive:$out/pause.tar:localhost/ganscale-pause:test"
remove_unused_layers
