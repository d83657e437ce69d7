#!/usr/bin/env bash
# Makes the wheel of the worker and of its Python package: build/wheel/ganscale-VERSION-*.whl. It needs the glibc of the release that
# it is made on, or a newer one.
#   scripts/wheel.sh [PRESET]     release (default): for machines without a GPU; cuda: for all, as releases have it
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
help_if_asked "$@"
cd "$repository"
preset=${1:-release}
case $preset in
  release | cuda) ;;
  *) die "no preset for a wheel: $preset" "scripts/wheel.sh [PRESET], which is release (the default) or cuda" ;;
esac

tiers=(build wheel)
[ "$preset" = release ] || tiers+=(cuda)
scripts/setup.sh "${tiers[@]}"
find_tools
scripts/build.sh "$preset" ganscale
rm -rf build/wheel
say "Packing"
wheel=$(PATH="$(scripts/python-folder.sh wheel)/bin:$PATH" /usr/bin/python3 scripts/make-wheel.py "build/$preset" build/wheel)
say "$wheel: $(du -m "$wheel" | cut -f 1) MB"
