#!/usr/bin/env bash
# Makes the wheel of the worker and of its Python package, for machines without a GPU: build/wheel/ganscale-VERSION-*.whl. It needs
# the glibc of the release that it is made on, or a newer one.
#   scripts/wheel.sh
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
cd "$repository"

scripts/setup.sh build wheel
find_tools
scripts/build.sh release ganscale
rm -rf build/wheel
say "Packing"
wheel=$(PATH="$(scripts/python-folder.sh wheel)/bin:$PATH" /usr/bin/python3 scripts/make-wheel.py build/release build/wheel)
say "$wheel: $(du -m "$wheel" | cut -f 1) MB"
