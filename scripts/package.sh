#!/usr/bin/env bash
# Makes the Debian package of the programs, for machines without a GPU: build/package/ganscale_VERSION-1~debian12_amd64.deb. It holds
# LibTorch; the other libraries are Debian's, of the release that it is made on (Debian 12, Ubuntu 24.04).
#   scripts/package.sh
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
help_if_asked "$@"
[ $# -eq 0 ] || die "takes no argument: $1"
cd "$repository"

scripts/setup.sh build package
find_tools
scripts/build.sh release ganscale ganscale-operator
rm -rf build/package
say "Packing"
mkdir -p build/package
cpack --config build/release/CPackConfig.cmake -B build/package >build/package/cpack.log 2>&1 || {
  cat build/package/cpack.log >&2
  die "cpack failed: see above"
}
rm -rf build/package/_CPack_Packages
for package in build/package/*.deb; do
  dpkg-deb --info "$package" | grep -E '^ (Package|Version|Installed-Size|Depends|Recommends):'
  say "$package: $(du -m "$package" | cut -f 1) MB"
done
