#!/usr/bin/env bash
# Compiles here what `scripts/gpu-check.sh --prebuilt` runs on a machine that has a GPU and PyTorch, but no compiler, and packs
# it with the Debian libraries that it loads into .gpu-deps/programs.tar.xz.
#   scripts/gpu-prebuilt.sh [FOLDER]      FOLDER: of the build; default: build/gpu-prebuilt
# $GANSCALE_CUDA_ARCHITECTURES: of that GPU; default: 90-real (H100, H200).
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
help_if_asked "$@"
cd "$repository"
build=${1:-build/gpu-prebuilt}
archive=.gpu-deps/programs.tar.xz
site=${GANSCALE_TORCH_SITE:-$(echo "$python_folder"/lib/python3*/site-packages)}

# The programs find LibTorch next to them, where the other machine has links to it. Old-style run paths also serve the libraries
# that libraries load.
run_path=$(python3 scripts/gpu_check/prebuilt.py run-path "$site")
cmake --preset gpu -B "$build" -DTORCH_SITE="$site" -DCMAKE_CUDA_ARCHITECTURES="${GANSCALE_CUDA_ARCHITECTURES:-90-real}" \
  "-DCMAKE_BUILD_RPATH=$run_path" -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags || die "CMake could not configure $build"
cmake --build "$build" --target ganscale ganscale-parity stylegan2_benchmark gpu_tests
mkdir -p .gpu-deps
python3 scripts/gpu_check/prebuilt.py pack "$build" "$archive"
say "Packed $(du -h "$archive" | cut -f 1) into $archive"
