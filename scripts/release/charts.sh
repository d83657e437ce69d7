#!/usr/bin/env bash
# Packs the charts for publication, with the address of the repository in them and the images of OUT/images.txt, by their digests, as
# defaults. Pushes them to a registry if one is named, and lists them by digest in OUT/charts.txt.
#   scripts/release/charts.sh OUT REPOSITORY_URL [oci://REGISTRY/FOLDER]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=$(realpath -m "$1") url=$2 registry=${3:-}
version=$(sed -n 's/^project(ganscale VERSION \([^ ]*\).*/\1/p' CMakeLists.txt)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

#   image NAME:TAG      prints it as listed, REGISTRY/FOLDER/NAME:TAG@DIGEST
image() {
  grep -F "/$1@" "$out/images.txt" || { echo "charts: $out/images.txt has no image $1" >&2; exit 1; }
}

#   set_image CHART NAME:TAG      makes an image the default of a chart
set_image() {
  local reference tag=${2#*:} digest
  reference=$(image "$2")
  digest=${reference#*@}
  # A registry may have a port, so the first colon need not be the tag's.
  sed -i -e "/^image:/,/^[^ ]/ { s|^  repository: \"\"|  repository: ${reference%":$tag@$digest"}|; s|^  tag: \"\"|  tag: $tag|" \
    -e "s|^  digest: \"\"|  digest: $digest| }" "$work/$1/values.yaml"
}

for chart in ganscale-operator ganscale-training; do
  cp -rL "helm/$chart" "$work/$chart" # the files that the charts link to, too
  printf 'home: %s\nsources: [%s]\n' "$url" "$url" >>"$work/$chart/Chart.yaml"
done
set_image ganscale-operator "ganscale-operator:$version"
set_image ganscale-training "ganscale:$version-cuda" # which computes on CPUs, too
test_image=$(image "ganscale:$version")
sed -i -e "/^test:/,\$ s|^  image: \"\"|  image: $test_image|" \
  -e "s|^    runbookUrl: \"\"|    runbookUrl: $url/blob/v$version/docs/runbooks|" "$work/ganscale-operator/values.yaml"

: >"$out/charts.txt"
for chart in ganscale-operator ganscale-training; do
  package=$(helm package "$work/$chart" -d "$out" | sed 's/.*saved it to: //')
  echo "$package"
  [ -n "$registry" ] || continue
  pushed=$(helm push "$package" "$registry" 2>&1)
  echo "$pushed"
  sed -n 's/^Pushed: //p; s/^Digest: /@/p' <<<"$pushed" | paste -sd '' >>"$out/charts.txt"
done
