#!/usr/bin/env bash
# Whether a tag may be released: it is the version that every file names, and CHANGELOG.md has a section for it, which is printed.
#   scripts/release/check.sh TAG            for example v0.1.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tag=$1
die() { echo "release: $*" >&2; exit 1; }

version=$(sed -n 's/^project(ganscale VERSION \([^ ]*\).*/\1/p' CMakeLists.txt)
[ "$tag" = "v$version" ] || die "the tag is $tag, and CMakeLists.txt has version $version"
/usr/bin/python3 scripts/set-version.py --check || die "run scripts/set-version.py, and commit"
notes=$(awk -v version="$version" '/^## / { wanted = index($0, "## [" version "]") == 1; next } wanted' CHANGELOG.md)
[ -n "$notes" ] || die "CHANGELOG.md has no section [$version]"
echo "$notes"
