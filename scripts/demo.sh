#!/usr/bin/env bash
# The demo: sets up, compiles, draws the capital letters of the system's typefaces as a labeled dataset, trains on it with
# all cores, and writes a report and a walk through the typefaces that it invents. The same command resumes a stopped run.
#   scripts/demo.sh [train's options, for example --set training.total_kimg=100]
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
help_if_asked "$@"
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

say "Training on all cores; stop with Ctrl-C, resume with the same command"
status=0
# Ctrl-C is for the training, which writes a checkpoint and ends with 143; the shell waits for it.
trap : INT
"$ganscale" launch train --config configs/runs/demo.yaml --run "$run" "$@" || status=$?
case $status in
  0) ;;
  143) say "Stopped after a checkpoint: the same command resumes" ;;
  *) die "training failed with exit code $status: see above" "Exit codes: docs/operations.md" ;;
esac

"$ganscale" generate --run "$run" --seeds 1-6 --walk 20 --grid 2x13 --scale 2 --out "$run/walk.webp"
"$ganscale" report "$run"
say "The report: $run/report.html, the images: $run/samples/, a walk through typefaces: $run/walk.webp"
