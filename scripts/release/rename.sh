#!/usr/bin/env bash
# Renames files in OUT as GitHub does when they are uploaded, so that checksums and signatures name what is downloaded: in the names of
# Debian packages, each ~ becomes a dot.
#   scripts/release/rename.sh OUT
set -euo pipefail
for file in "$1"/*~*; do
  [ -e "$file" ] || continue # none has one
  name=${file##*/}
  mv -- "$file" "$1/${name//\~/.}"
done
