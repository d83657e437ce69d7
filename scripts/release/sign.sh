#!/usr/bin/env bash
# Signs what is released, with cosign: each image in OUT/images.txt, with its bill of materials, and each file of OUT by a bundle
# beside it. Without keys: the signature names the workflow that ran this.
#   scripts/release/sign.sh OUT
set -euo pipefail
out=$1
while read -r image; do
  name=${image%@*}
  cosign sign --yes "$image"
  cosign attest --yes --type spdxjson --predicate "$out/${name##*/}.spdx.json" "$image"
done <"$out/images.txt"
(cd "$out" && sha256sum -- *.deb *.tgz *.spdx.json >SHA256SUMS)
for file in "$out"/*.deb "$out"/*.tgz "$out/SHA256SUMS"; do
  cosign sign-blob --yes --bundle "$file.sigstore.json" "$file"
done
