#!/usr/bin/env bash
# The demo: sets up, compiles, draws the capital letters of the system's typefaces as a labeled dataset, trains on it with
# two processes, and writes a report and a walk through the typefaces that it invents. The same command resumes a stopped run.
#   scripts/demo.sh [train's options, for example --set training.total_kimg=100]
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/stoppable.sh
. "$repository/scripts/stoppable.sh"
cd "$repository"
run=runs/demo
data=runs/demo-letters

scripts/setup.sh build demo
scripts/build.sh release ganscale
ganscale=build/release/bin/ganscale

if ! compgen -G "$data/*.tfrecords" >/dev/null; then
  say "Making the dataset: 26 letters of every typeface in /usr/share/fonts"
  "$ganscale" data convert --from-typefaces --to "$data" --resolution 32 --shards 2
fi

mpi=(-n 2)
[ "$(id -u)" -ne 0 ] || mpi+=(--allow-run-as-root)
# Each rank stays on its share of the cores, which saves a sixth of the time, where Open MPI can bind it.
bind=(--use-hwthread-cpus --map-by "slot:PE=$(($(nproc) / 2))" --bind-to hwthread)
mpirun "${mpi[@]}" "${bind[@]}" true 2>/dev/null || bind=(--bind-to none)
mpi+=("${bind[@]}")
[ "$(nproc)" -ge 2 ] || mpi+=(--oversubscribe)
export OMPI_MCA_btl_vader_single_copy_mechanism=none # containers forbid its system call, and it says so at length
say "Training with two processes; stop with Ctrl-C, resume with the same command"
status=0
stoppable mpirun "${mpi[@]}" "$ganscale" train --config configs/runs/demo-letters32.yaml --run "$run" "$@" || status=$?
case $status in
  0) ;;
  143) say "Stopped after a checkpoint: the same command resumes" ;;
  *) die "training failed with exit code $status: see above" "Exit codes: docs/operations.md" ;;
esac

"$ganscale" generate --run "$run" --seeds 1-6 --walk 20 --grid 2x13 --scale 2 --out "$run/walk.webp"
"$ganscale" report "$run"
say "The report: $run/report.html, the images: $run/samples/, a walk through typefaces: $run/walk.webp"
