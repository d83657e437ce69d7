#!/usr/bin/env bash
# Writes a bill of materials (SPDX) of each image in OUT/images.txt and of each Debian package and wheel in OUT, with syft.
#   scripts/release/sbom.sh OUT
set -euo pipefail
out=$1
while read -r image; do
  name=${image##*/}
  name=${name%@*}
  syft scan "registry:$image" -o "spdx-json=$out/${name/:/-}.spdx.json"
done <"$out/images.txt"
for package in "$out"/*.deb "$out"/*.whl; do
  folder=$(mktemp -d)
  case $package in
    *.deb) dpkg-deb -R "$package" "$folder" ;;
    *.whl) /usr/bin/python3 -m zipfile -e "$package" "$folder" ;;
  esac
  syft scan "dir:$folder" -o "spdx-json=$package.spdx.json"
  rm -rf "$folder"
done
