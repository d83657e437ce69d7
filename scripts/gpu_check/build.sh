#!/usr/bin/env bash
# The stage "build" of scripts/gpu-check.sh: compiles what its other stages run.
#   scripts/gpu_check/build.sh FOLDER
# What is complete there is not built again, whenever and wherever the project was copied here: FOLDER/source holds a copy
# whose files are new only where their content is.
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/../environment.sh"
build=$1
libraries=$repository/.gpu-deps/libraries.tar.gz
mkdir -p "$build"
build=$(cd "$build" && pwd)
python3 "$repository/scripts/gpu_check/mirror.py" "$repository" "$build/source"

if [ ! -f "$build/build.ninja" ]; then
  site=${GANSCALE_TORCH_SITE:-$(python3 -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))')} ||
    die "python3 has no torch" "Install torch 2.11.0, or name its site-packages folder with GANSCALE_TORCH_SITE=FOLDER."
  options=(-DTORCH_SITE="$site" -DCMAKE_CUDA_ARCHITECTURES="${GANSCALE_CUDA_ARCHITECTURES:-native}")
  if [ -f "$libraries" ]; then
    mkdir -p "$build/libraries"
    tar -C "$build/libraries" -xzf "$libraries" || die "cannot unpack $libraries"
    # Some headers lie in a folder that GCC searches under /usr alone. Old-style run paths also serve the libraries that
    # those libraries load.
    options+=(-DCMAKE_PREFIX_PATH="$build/libraries/usr" "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags"
      "-DCMAKE_CXX_FLAGS=-isystem $build/libraries/usr/include/$(gcc -print-multiarch)")
  fi
  if [ -z "${CUDACXX:-}" ] && ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
    export CUDACXX=/usr/local/cuda/bin/nvcc
  fi
  command -v ccache >/dev/null || options+=(-DCMAKE_CXX_COMPILER_LAUNCHER= -DCMAKE_CUDA_COMPILER_LAUNCHER=)
  (cd "$build/source" && cmake --preset gpu -B "$build" "${options[@]}") ||
    die "CMake could not configure" "To use other libraries, remove $build first."
fi
cmake --build "$build" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" \
  --target ganscale ganscale-parity stylegan2_benchmark gpu_tests unit_tests
