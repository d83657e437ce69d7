# Sourced by scripts that build images: buildah with a store in the user's cache folder, and a Debian base made on the spot.
#   "${buildah[@]}"   buildah
#   $base             the base image, of the release that compiles here
# Exits with 77 if this machine can't build images; the reason is on standard error.
# shellcheck shell=bash
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ganscale
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
{ mkdir -p "$store" && [ -w "$store" ]; } || skip "cannot write to $store"
exec 9>"$store/.lock"
flock 9

base=localhost/ganscale-base:$VERSION_CODENAME
if ! "${buildah[@]}" inspect --type image "$base" >/dev/null 2>&1; then
  say "making a base of $ID $VERSION_CODENAME"
  mmdebstrap --quiet --variant=minbase --mode=root --components=main \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-include=/usr/share/locale/locale.alias' \
    "$VERSION_CODENAME" "$store/base.tar" "$sources" || skip "mmdebstrap could not make a base"
  container=$("${buildah[@]}" from scratch)
  "${buildah[@]}" add --quiet "$container" "$store/base.tar" / >/dev/null
  "${buildah[@]}" commit --quiet "$container" "$base" >/dev/null
  "${buildah[@]}" rm "$container" >/dev/null
  rm "$store/base.tar"
fi

remove_unused_layers() { "${buildah[@]}" rmi --prune --force >/dev/null 2>&1 || true; }
