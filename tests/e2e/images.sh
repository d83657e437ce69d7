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
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ganscale
cd "$project"

say() { echo "images: $*" >&2; }
skip() { say "$*"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "needs root"
mountpoint -q / || skip "/ is no mount point, but a folder of another system (chroot): buildah can't commit images there"
for program in buildah mmdebstrap; do
  command -v $program >/dev/null || skip "$program is missing"
done
. /etc/os-release
sources=$(find /etc/apt -name "*$ID.sources" -o -name sources.list -size +0 | head -1)
[ -n "$sources" ] || skip "no apt sources of $ID: the base image must be of the release that compiled the programs"

export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=overlay
store=$cache/images-$ID-$VERSION_CODENAME
buildah=(buildah --root "$store/storage" --runroot "$store/run")
mkdir -p "$store"
exec 9>"$store/.lock"
flock 9

base=localhost/ganscale-base:$VERSION_CODENAME
if ! "${buildah[@]}" inspect --type image "$base" >/dev/null 2>&1; then
  say "making a base of $ID $VERSION_CODENAME"
  mmdebstrap --quiet --variant=minbase --mode=root --components=main \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-include=/usr/share/locale/locale.alias' \
    "$VERSION_CODENAME" "$store/base.tar" "$sources" || skip "mmdebstrap could not make a base"
  container=$("${buildah[@]}" from scratch)
  "${buildah[@]}" add --quiet "$container" "$store/base.tar" / >/dev/null
  "${buildah[@]}" commit --quiet "$container" "$base" >/dev/null
  "${buildah[@]}" rm "$container" >/dev/null
  rm "$store/base.tar"
fi

for role in worker operator; do
  docker/collect.sh $role "$build" "build/image/$role"
  say "building the image of the $role"
  "${buildah[@]}" build --quiet --layers --network host -f "$project/docker/$role.Dockerfile" \
    --build-arg "BASE=$base" -t "localhost/ganscale-$role:test" "build/image/$role" >/dev/null
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
"${buildah[@]}" rmi --prune --force >/dev/null 2>&1 || true # layers that no image holds any more
