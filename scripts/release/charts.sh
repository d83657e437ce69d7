#!/usr/bin/env bash
# Packs the charts for publication, with the address of the repository in them, and pushes them to a registry if one is named.
#   scripts/release/charts.sh OUT REPOSITORY_URL [oci://REGISTRY/FOLDER]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=$(realpath -m "$1") url=$2 registry=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
for chart in ganscale-operator ganscale-training; do
  cp -rL "helm/$chart" "$work/$chart" # the files that the charts link to, too
  printf 'home: %s\nsources: [%s]\n' "$url" "$url" >>"$work/$chart/Chart.yaml"
  package=$(helm package "$work/$chart" -d "$out" | sed 's/.*saved it to: //')
  echo "$package"
  [ -z "$registry" ] || helm push "$package" "$registry"
done
