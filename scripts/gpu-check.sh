#!/usr/bin/env bash
# Builds for this machine's GPU and runs the unit and GPU tests, the GPU benchmarks and the parity check.
#   scripts/gpu-check.sh [all|build|test|bench|parity]...      default: all
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

# Runs a command with its output on the screen and in a log, and ends the script if it fails.
#   step NAME COMMAND...
step() {
  local name=$1 began=$SECONDS
  shift
  say "$name"
  "$@" >"$logs/$name.log" 2>&1 || {
    tail -n 60 "$logs/$name.log"
    die "$name failed" "The whole log: $logs/$name.log"
  }
  say "$name took $((SECONDS - began)) s"
}

configure() {
  local site prefix=()
  site=${GANSCALE_TORCH_SITE:-$(python3 -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))')} ||
    die "python3 has no torch" "Install torch 2.11.0, or name its site-packages folder with GANSCALE_TORCH_SITE=FOLDER."
  if [ -f .gpu-deps/libraries.tar.gz ]; then
    mkdir -p "$build/libraries"
    tar -C "$build/libraries" -xzf .gpu-deps/libraries.tar.gz
    # Old-style run paths also serve the libraries that those libraries load.
    prefix=(-DCMAKE_PREFIX_PATH="$build/libraries/usr" "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags")
  fi
  if [ -z "${CUDACXX:-}" ] && ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
    export CUDACXX=/usr/local/cuda/bin/nvcc
  fi
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTORCH_SITE="$site" -DGANSCALE_CUDA=ON \
    -DGANSCALE_SERVICES=OFF -DGANSCALE_MPI=OFF \
    -DCMAKE_CUDA_ARCHITECTURES="${GANSCALE_CUDA_ARCHITECTURES:-native}" "${prefix[@]}"
}

run_build() {
  command -v nvidia-smi >/dev/null && nvidia-smi -L
  step configure configure
  step build cmake --build "$build" -j "$(nproc)"
}

run_test() {
  step test ctest --test-dir "$build" -L '^(unit|gpu)$' --output-on-failure -j 4
  grep -A 30 'tests passed' "$logs/test.log"
}

run_bench() {
  local program
  for program in "$build"/bin/*_gpu_benchmark; do
    [ -x "$program" ] || continue
    step "$(basename "$program")" "$program"
    cat "$logs/$(basename "$program").log"
  done
  python3 benchmarks/stylegan2/compare_on_gpu.py --build "$build" | tee "$logs/stylegan2.log"
}

run_parity() {
  if [ ! -d "$GANSCALE_SHARED/fixtures" ]; then
    say "No reference tensors in $GANSCALE_SHARED/fixtures: parity is not checked"
  elif [ -x "$build/bin/ganscale-parity" ]; then
    step parity "$build/bin/ganscale-parity" "$GANSCALE_SHARED"/fixtures/*.safetensors
    cat "$logs/parity.log"
  fi
}

if [ $# -eq 0 ] || [ "$*" = all ]; then
  set -- build test bench parity
fi
for part in "$@"; do
  declare -F "run_$part" >/dev/null || die "unknown part: $part" "Parts: build, test, bench, parity."
  "run_$part"
done
say "Done: $*. Logs: $logs"
