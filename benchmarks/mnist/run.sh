#!/usr/bin/env bash
# Trains a DC-GAN on MNIST and scores its digits: at least 7.5 of 10 (see README.md in this folder).
#   benchmarks/mnist/run.sh [RUN_FOLDER [train options]]     MNIST=folder of the IDX files
set -euo pipefail
cd "$(dirname "$0")/../.."
run=${1:-runs/mnist}
shift || true
mnist=${MNIST:-${GANSCALE_SHARED:-../shared}/data/mnist}
bin=build/release/bin
{ [ -x $bin/ganscale ] && [ -x $bin/mnist_score ]; } || { echo "build first: make release" >&2; exit 69; }
[ -f "$mnist/train-images-idx3-ubyte.gz" ] || { echo "no MNIST in $mnist: set MNIST" >&2; exit 65; }

$bin/ganscale train --config configs/runs/mnist-dcgan.yaml --set "data.path=$mnist" --run "$run" "$@"
samples=$(mktemp -d)
trap 'rm -rf "$samples"' EXIT
$bin/ganscale generate --run "$run" --seeds 0-63 --out "$run/digits.png"
$bin/ganscale generate --run "$run" --seeds 0-4999 --out-dir "$samples"
$bin/ganscale report "$run"
$bin/mnist_score --data "$mnist" --samples "$samples" --at-least 7.5
