#!/usr/bin/env bash
# Trains MNIST in four ways with several seeds and prints their scores as a table (see README.md in this folder).
#   [MNIST=folder of the IDX files] [KIMG=40] [SEEDS="1 2 3"] [IMAGES=5k] benchmarks/mnist/compare.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-runs/mnist-compare}
mnist=${MNIST:-${GANSCALE_SHARED:-../shared}/data/mnist}
kimg=${KIMG:-40}
seeds=${SEEDS:-1 2 3}
images=${IMAGES:-5k}
bin=build/release/bin
{ [ -x $bin/ganscale ] && [ -x $bin/feature_net ]; } || { echo "build first: make release" >&2; exit 69; }
[ -f "$mnist/train-images-idx3-ubyte.gz" ] || { echo "no MNIST in $mnist: set MNIST" >&2; exit 65; }
mkdir -p "$folder"
[ -f "$folder/digits.pt" ] || $bin/feature_net --data "$mnist" --test "$mnist/t10k-images-idx3-ubyte.gz" --out "$folder/digits.pt"

# What is the same for all. The average of G is a short one: a label sees a tenth of the images.
common=(--config configs/runs/mnist-dcgan.yaml --set "data.path=$mnist" --set data.labels=auto
        --set "training.total_kimg=$kimg" --set generator.ema_kimg=0.5
        --set training.tick_kimg=5 --set training.samples_every_kimg=0 --set checkpoint.every_kimg=0
        --set telemetry.metrics_port=-1 --set telemetry.control_port=-1)
wgan=(--set model.name=wgan --set loss.name=wasserstein
      --set 'generator.optimizer={name: adam, learning_rate: 0.0001, betas: [0, 0.9]}'
      --set 'discriminator.optimizer={name: adam, learning_rate: 0.0001, betas: [0, 0.9]}')

#   train NAME SEED OPTION...: trains, and measures the result
train() {
  local run=$folder/$1-$2 seed=$2
  shift 2
  [ ! -f "$run/result.json" ] || return 0
  $bin/ganscale train "${common[@]}" --set "training.seed=$seed" --run "$run" "$@" >"$run.log" 2>&1
  $bin/ganscale evaluate --run "$run" --metrics "fid$images,is$images" --feature-net "$folder/digits.pt" \
    --out "$run/result.json" >>"$run.log" 2>&1
}

for seed in $seeds; do
  train dcgan "$seed" --set model.name=dcgan
  train conditional "$seed" --set model.name=conditional_dcgan
  train per-label "$seed" --set model.name=dcgan --set scheme.name=per_label
  train per-label-wgan "$seed" --set scheme.name=per_label "${wgan[@]}"
done
python3 benchmarks/mnist/compare_table.py "$folder" "$kimg" "$images"
