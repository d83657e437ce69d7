#!/usr/bin/env bash
# Prints the folder of a Python environment that scripts/setup.sh makes. Its name holds a hash of the pinned requirements and of
# Python's version: every clone with the same pins shares one environment.
#   scripts/python-folder.sh          of the build and the tests
#   scripts/python-folder.sh docs     of the tools that write docs and dashboards: another one, since the path of the former is in
#                                     every compile command, and a new pin there recompiles everything
#   scripts/python-folder.sh wheel    of what makes the wheel
#   scripts/python-folder.sh site     of what makes the documentation's site
#   scripts/python-folder.sh mutation    of what finds the places for mutants
#   scripts/python-folder.sh tracking    of what the tests of trackers and WebDataset compare with
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || echo none)
case ${1:-python} in
  python) tiers=(build.txt cuda.txt test.txt) ;;
  *) tiers=("$1.txt") ;;
esac
key=$({ echo "$version"; cat "${tiers[@]/#/$here/requirements/}"; } | sha256sum | cut -c 1-12)
home=${HOME:-/tmp} # as in environment.sh
echo "${XDG_CACHE_HOME:-$home/.cache}/ganscale/${1:-python}-$key"
