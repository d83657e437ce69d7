#!/usr/bin/env bash
# Configures a preset of CMakePresets.json if needed, and builds it; waits for another build of the same preset first.
#   scripts/build.sh PRESET [TARGET...]
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
help_if_asked "$@"
trap end_started EXIT
[ $# -gt 0 ] || die "no preset given" "scripts/build.sh PRESET [TARGET...], with a preset of CMakePresets.json, such as release"
preset=$1
shift
cd "$repository"

site=${GANSCALE_TORCH_SITE:-$(echo "$python_folder"/lib/python3*/site-packages)}
folder=build/$preset
# Two builds in one folder would write the same files, and the compiler's cache would keep what they spoil.
mkdir -p "$folder"
exec 8>"$folder/build.lock"
flock -n 8 || { say "Waiting for another build of $folder to finish ..."; flock 8; }

# Prints what the C++ compiler of the folder is, once CMake has chosen one.
compiler() {
  local path
  path=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$folder/CMakeCache.txt" 2>/dev/null)
  [ -n "$path" ] || return 0
  "$path" --version | head -n 1
  stat -Lc 'cc1plus: %s bytes, modified %Y' "$("$path" -print-prog-name=cc1plus)" 2>/dev/null || true # clang has none
}

# A compiler refuses headers that another one precompiled, even of the same version. CMake does not see that it has changed: it keeps
# the version that it found first, and compares times of files, which in a package are older than what has been compiled since.
if [ -f "$folder/compiler.txt" ] && [ "$(cat "$folder/compiler.txt")" != "$(compiler)" ]; then
  say "The compiler has changed: precompiling headers again"
  find "$folder" -name 'cmake_pch.hxx.[gp]ch' -delete
  rm -rf "$folder"/CMakeFiles/[0-9]* "$folder/build.ninja"
fi

if [ ! -f "$folder/build.ninja" ] || [ CMakePresets.json -nt "$folder/build.ninja" ] || ! grep -qs "^TORCH_SITE:[A-Z]*=$site\$" "$folder/CMakeCache.txt"; then
  say "Configuring $folder"
  cmake --preset "$preset" -DTORCH_SITE="$site" -U "*Python3_EXECUTABLE*" >"$folder/configure.log" 2>&1 || {
    cat "$folder/configure.log" >&2
    die "CMake could not configure the preset '$preset'" "If something is missing, scripts/setup.sh installs it."
  }
fi
printf '%s\n' "$(compiler)" >"$folder/compiler.txt"

CMAKE_BUILD_PARALLEL_LEVEL=$(compile_jobs)
export CMAKE_BUILD_PARALLEL_LEVEL
say "Building $folder, $CMAKE_BUILD_PARALLEL_LEVEL files at a time"
[ $# -eq 0 ] || set -- --target "$@"
cmake --build "$folder" "$@" || die "the build of '$preset' failed: see above"
say "Built $folder"
