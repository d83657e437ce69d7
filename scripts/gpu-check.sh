#!/usr/bin/env bash
# Builds for this machine's GPU, runs the unit and GPU tests, compares with reference tensors, times and profiles. Fits a
# machine that is available for only a few minutes: stages with a limit each, of which a failed one does not end the next.
#   scripts/gpu-check.sh [--only STAGE[,STAGE]...] [--limit SECONDS] [OPTION...]      --help tells the rest
# With --prebuilt it needs a python3 with torch 2.11 (CUDA 13), and the archive that scripts/gpu-prebuilt.sh makes elsewhere.
# Otherwise it needs nvcc 13, g++ 12, CMake 3.31 and Ninja, too. The other libraries come from the
# system, else from .gpu-deps/libraries.tar.gz, which scripts/gpu-deps.sh packs elsewhere. Services, MPI and Parquet are left out.
# Reference tensors: $GANSCALE_SHARED/fixtures, else .gpu-fixtures/fixtures. The images of the stage "train" are there, too, in
# cifar32-stylegan2ada.zip. Without these files, the stages "parity" and "train" are left out.
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
GANSCALE_SHARED=$(realpath -m "${GANSCALE_SHARED:-$repository/.gpu-fixtures}")
export GANSCALE_SHARED
exec python3 "$repository/scripts/gpu_check/main.py" "$@"
