#!/usr/bin/env bash
# Configures a preset of CMakePresets.json if needed, and builds it; waits for another build of the same preset first.
#   scripts/build.sh PRESET [TARGET...]
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
preset=$1
shift
cd "$repository"

site=${GANSCALE_TORCH_SITE:-$(echo "$python_folder"/lib/python3*/site-packages)}
folder=build/$preset
# Two builds in one folder would write the same files, and the compiler's cache would keep what they spoil.
mkdir -p "$folder"
exec 8>"$folder/build.lock"
flock -n 8 || { say "Waiting for another build of $folder to finish ..."; flock 8; }
if [ ! -f "$folder/build.ninja" ] || [ CMakePresets.json -nt "$folder/build.ninja" ] || ! grep -qs "^TORCH_SITE:[A-Z]*=$site\$" "$folder/CMakeCache.txt"; then
  say "Configuring $folder"
  cmake --preset "$preset" -DTORCH_SITE="$site" -U "*Python3_EXECUTABLE*" >"$folder/configure.log" 2>&1 || {
    cat "$folder/configure.log" >&2
    die "CMake could not configure the preset '$preset'" "If something is missing, scripts/setup.sh installs it."
  }
fi

CMAKE_BUILD_PARALLEL_LEVEL=$(compile_jobs)
export CMAKE_BUILD_PARALLEL_LEVEL
say "Building $folder, $CMAKE_BUILD_PARALLEL_LEVEL files at a time"
[ $# -eq 0 ] || set -- --target "$@"
cmake --build "$folder" "$@" || die "the build of '$preset' failed: see above"
say "Built $folder"
