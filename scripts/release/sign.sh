#!/usr/bin/env bash
# Signs what is released, with cosign: each image in OUT/images.txt, with its bill of materials, each chart in OUT/charts.txt, and each
# file of OUT by a bundle next to it. Without keys: the signature names the workflow that ran this. OUT/subjects.txt lists all of it by
# digest, for the provenance.
#   scripts/release/sign.sh OUT
set -euo pipefail
out=$1
while read -r image; do
  name=${image##*/}
  name=${name%@*}
  cosign sign --yes "$image"
  cosign attest --yes --type spdxjson --predicate "$out/${name/:/-}.spdx.json" "$image"
done <"$out/images.txt"
while read -r chart; do
  cosign sign --yes "$chart"
done <"$out/charts.txt"
(cd "$out" && sha256sum -- *.deb *.whl *.tgz *.tar.gz *.spdx.json >SHA256SUMS)
for file in "$out"/*.deb "$out"/*.whl "$out"/*.tgz "$out"/*.tar.gz "$out/SHA256SUMS"; do
  cosign sign-blob --yes --bundle "$file.sigstore.json" "$file"
done
sed 's/^\(.*\)@sha256:\(.*\)$/\2  \1/' "$out/images.txt" "$out/charts.txt" | cat - "$out/SHA256SUMS" >"$out/subjects.txt"
