#!/usr/bin/env bash
# Plays the README as a new user would, from `git clone` to a served report, and prints how long each command took.
#   tests/docs/play_readme.sh [REPOSITORY] [FOLDER]     default: this checkout, a temporary folder; it needs git, make, root or sudo
# The commands are read from the README, except those that need what it cannot bring: `make test`, and an evaluation, which needs a
# feature network. The photos are letters that the demo's generator drew. Ctrl-C ends a training on them after a minute.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
repository=${1:-$checkout}
folder=${2:-$(mktemp -d)}
left_out='^(make test|.*--feature-net )'
train_seconds=60
interrupted=143
times=()

# Runs a command and notes how long it took.
#   play COMMAND [EXIT_CODE]
play() {
  local start status=0
  printf '\n\033[1m$ %s\033[0m\n' "$1"
  start=$(date +%s)
  case $1 in
    *"launch train "*) timeout --preserve-status --foreground --signal=INT "$train_seconds" bash -c "$1" || status=$? ;;
    *" serve "*) serve "$1" || status=$? ;;
    *) eval "$1" || status=$? ;;
  esac
  times+=("$(printf '%5d s  %s' $(($(date +%s) - start)) "$1")")
  case $status in 0 | "$interrupted") ;; *) echo "exit code $status: $1" >&2; exit 1 ;; esac
}

# Fetches the page of a server, and ends it.
serve() {
  local address
  bash -c "exec $1" >"$folder/serve.log" 2>&1 &
  local server=$!
  for _ in $(seq 50); do
    address=$(grep -o 'http://[^ ]*' "$folder/serve.log" | head -n 1) && break
    sleep 0.2
  done
  page=$(curl -sS "$address")
  kill "$server"
  wait "$server" || true
  grep -q '<title>' <<<"$page" || { echo "no page at $address" >&2; return 1; }
}

commands() {
  # shellcheck disable=SC2016 # these are the backquotes of Markdown
  sed -n '/^```console/,/^```$/ s/^\$ //p' "$1" | sed -E 's/ {2,}#.*//' | grep -Ev "$left_out"
}

cd "$folder"
play "git clone --quiet $repository ganscale"
cd ganscale
mapfile -t lines < <(commands README.md)
for line in "${lines[@]}"; do
  if [[ $line == *photos/* ]] && [ ! -d photos ]; then
    build/release/bin/ganscale generate --run runs/demo --seeds 0-299 --out-dir photos
  fi
  play "$line"
done
printf '\nSeconds of each command of the README:\n'
printf '%s\n' "${times[@]}"
