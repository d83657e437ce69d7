#!/usr/bin/env bash
# Prints the folder of the Python environment that scripts/setup.sh makes and the build uses. Its name holds a hash
# of the pinned requirements and of Python's version: every clone with the same pins shares one environment.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || echo none)
key=$({ echo "$version"; cat "$here"/requirements/*.txt; } | sha256sum | cut -c 1-12)
echo "${XDG_CACHE_HOME:-$HOME/.cache}/ganscale/python-$key"
