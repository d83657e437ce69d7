#!/usr/bin/env bash
# Plays the README on a bare Debian 12 or Ubuntu 24.04, from `git clone` to a served report, and prints the time of each step.
#   benchmarks/first_hour/play_readme.sh [KIMG]
# KIMG: thousands of images that the demo and the run on photos see; default: 2, so that what is measured is all but training.
# Installs packages like `make` does (as root or with sudo) and works in a new folder, which it leaves with all outputs.
set -euo pipefail
kimg=${1:-2}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(mktemp -d "${TMPDIR:-/tmp}/first-hour.XXXXXX")
start=$SECONDS

# step NAME COMMAND...: its output goes to a log in the folder.
step() {
  local name=$1 begin=$SECONDS
  shift
  if ! "$@" >"$folder/$name.log" 2>&1; then
    tail -n 20 "$folder/$name.log" >&2
    echo "$name failed: $folder/$name.log" >&2
    exit 1
  fi
  printf '%6d s  %s\n' "$((SECONDS - begin))" "$name"
}

# Opens the page that `ganscale serve` prints, and an image of it.
serve() {
  ganscale serve runs/r1 >serve.out 2>&1 &
  local server=$! url=
  for _ in $(seq 300); do
    url=$(sed -n 's/.*url=\(http[^ ]*\).*/\1/p' serve.out)
    [ -z "$url" ] || break
    sleep 0.2
  done
  python3 - "$url" <<'PYTHON' || { kill "$server"; cat serve.out; return 1; }
import sys
import urllib.request
page = urllib.request.urlopen(sys.argv[1]).read()
image = urllib.request.urlopen(sys.argv[1].replace("/?", "/image?seed=7&")).read()
assert b"<html" in page and image.startswith(b"\x89PNG"), (page[:80], image[:8])
PYTHON
  kill "$server"
  wait "$server" || true
}

step clone git clone -q "$source" "$folder/ganscale"
cd "$folder/ganscale"
step make make
export PATH="$PWD/build/release/bin:$PATH"
step demo scripts/demo.sh --set "training.total_kimg=$kimg"
step photos ganscale generate --run runs/demo --seeds 0-255 --out-dir photos
step train ganscale launch train --data photos --run runs/r1 --set "training.total_kimg=$kimg"
step report ganscale report runs/r1
step generate ganscale generate --run runs/r1 --seeds 0-63 --grid 8x8 --out grid.png
step export ganscale export --run runs/r1 --format torchscript --out generator.pt
step serve serve
printf '%6d s  in all; %s\n' "$((SECONDS - start))" "$folder/ganscale"
