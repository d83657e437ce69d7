#!/usr/bin/env bash
# Builds for this machine's GPU, runs the unit and GPU tests, the parity check and the GPU benchmarks. Only a failed build
# ends it; of the rest it says at the end what failed, with exit code 1.
#   scripts/gpu-check.sh [all|build|test|parity|bench]...      default: all
# Needs a python3 with torch 2.11 (CUDA 13), nvcc 13, g++ 12, CMake 3.31 and Ninja. The other libraries come from the
# system, else from .gpu-deps/libraries.tar.gz, which scripts/gpu-deps.sh packs elsewhere. Services and MPI are left out.
# Reference tensors: $GANSCALE_SHARED/fixtures, else .gpu-fixtures/fixtures. Logs: $OUT, else build/gpu/logs.
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
cd "$repository"
build=$repository/build/gpu
logs=${OUT:-$build/logs}
export GANSCALE_SHARED=${GANSCALE_SHARED:-$repository/.gpu-fixtures}
mkdir -p "$build" "$logs"
failed=()

# Runs a command with its output in a log, whose end is shown where it fails.
#   logged NAME COMMAND...
logged() {
  local name=$1 began=$SECONDS status=0
  shift
  say "$name"
  "$@" >"$logs/$name.log" 2>&1 || status=$?
  [ "$status" -eq 0 ] || tail -n 60 "$logs/$name.log"
  say "$name took $((SECONDS - began)) s, exit code $status"
  return "$status"
}

# The same; the script ends if it fails.
step() { logged "$@" || die "$1 failed" "The whole log: $logs/$1.log"; }

# The same; a failure is kept for the end, and SKIPPED is the exit code of a command that cannot tell here.
#   check SKIPPED NAME COMMAND...
check() {
  local skipped=$1 status=0
  shift
  logged "$@" || status=$?
  case $status in
    0) ;;
    "$skipped") say "$1 is left out: see above" ;;
    *) failed+=("$1") ;;
  esac
}

run_build() {
  local site options=()
  ! command -v nvidia-smi >/dev/null || nvidia-smi -L
  site=${GANSCALE_TORCH_SITE:-$(python3 -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))')} ||
    die "python3 has no torch" "Install torch 2.11.0, or name its site-packages folder with GANSCALE_TORCH_SITE=FOLDER."
  if [ -f .gpu-deps/libraries.tar.gz ]; then
    mkdir -p "$build/libraries"
    tar -C "$build/libraries" -xzf .gpu-deps/libraries.tar.gz || die "cannot unpack .gpu-deps/libraries.tar.gz"
    # Some headers lie in a folder that GCC searches under /usr alone. Old-style run paths also serve the libraries that
    # those libraries load.
    options+=(-DCMAKE_PREFIX_PATH="$build/libraries/usr" "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags"
      "-DCMAKE_CXX_FLAGS=-isystem $build/libraries/usr/include/$(gcc -print-multiarch)")
  fi
  if [ -z "${CUDACXX:-}" ] && ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
    export CUDACXX=/usr/local/cuda/bin/nvcc
  fi
  command -v ccache >/dev/null || options+=(-DCMAKE_CXX_COMPILER_LAUNCHER= -DCMAKE_CUDA_COMPILER_LAUNCHER=)
  step configure cmake --preset gpu -DTORCH_SITE="$site" \
    -DCMAKE_CUDA_ARCHITECTURES="${GANSCALE_CUDA_ARCHITECTURES:-native}" "${options[@]}"
  step build cmake --build "$build" -j "$(nproc)"
}

run_test() {
  check none test ctest --test-dir "$build" -L '^(unit|gpu)$' --output-on-failure -j 4
  grep -A 30 'tests passed' "$logs/test.log" || true
}

# A kind of reference that ganscale-parity does not know is its exit code 78.
run_parity() {
  local fixture
  if [ ! -d "$GANSCALE_SHARED/fixtures" ]; then
    say "No reference tensors in $GANSCALE_SHARED/fixtures: parity is not checked"
    return
  fi
  for fixture in "$GANSCALE_SHARED"/fixtures/*.safetensors; do
    check 78 "parity-$(basename "$fixture" .safetensors)" "$build/bin/ganscale-parity" --device gpu \
      --precision fp64,fp32,tf32,fp16,bf16 "$fixture"
  done
}

run_bench() {
  check 77 stylegan2 python3 benchmarks/stylegan2/compare_on_gpu.py --build "$build"
  cat "$logs/stylegan2.log"
}

if [ $# -eq 0 ] || [ "$*" = all ]; then
  set -- build test parity bench
fi
for part in "$@"; do
  declare -F "run_$part" >/dev/null || die "unknown part: $part" "Parts: build, test, parity, bench."
done
for part in "$@"; do
  "run_$part"
done
[ ${#failed[@]} -eq 0 ] || die "failed: ${failed[*]}" "Logs: $logs"
say "Done: $*. Logs: $logs"
