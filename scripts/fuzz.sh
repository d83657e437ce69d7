#!/usr/bin/env bash
# Fuzzes everything that reads bytes which others wrote, under AddressSanitizer and UndefinedBehaviorSanitizer: a target each
# (tests/fuzz/targets.cpp), one after the other, on all cores.
#   SECONDS_EACH=60 scripts/fuzz.sh [TARGET...]     default: all targets
# Inputs that reach new code are kept in build/fuzz/corpus, from which the next run continues; findings are in
# build/fuzz/findings. Exit code 1 if there are any.
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
help_if_asked "$@"
cd "$repository"
seconds=${SECONDS_EACH:-60}

scripts/setup.sh build fuzz
find_tools
scripts/build.sh fuzz ganscale-fuzz
fuzzer=$repository/build/fuzz/bin/ganscale-fuzz
known=$repository/tests/fuzz/corpus
[ $# -gt 0 ] || mapfile -t targets < <(ls "$known")
[ $# -eq 0 ] || targets=("$@")

export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# Parsers of files get each input in a file: in memory, where there is a file system for that.
[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
failed=()
for target in "${targets[@]}"; do
  found=build/fuzz/findings/$target
  grown=build/fuzz/corpus/$target
  mkdir -p "$found" "$grown"
  say "Fuzzing $target for $seconds s"
  status=0
  FUZZ=$target "$fuzzer" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=16384 -fork="$(nproc)" \
    -artifact_prefix="$found/" "$grown" "$known/$target" \
    >"$found.log" 2>&1 || status=$?
  if [ "$status" -eq 0 ] && [ -z "$(ls "$found")" ]; then
    say "  no finding: $(grep -o '^#[0-9]*: cov: [0-9]*' "$found.log" | tail -n 1 | sed 's/^#\([0-9]*\): cov: /\1 inputs, coverage /')"
  else
    say "  finding(s) in $found; see $found.log"
    failed+=("$target")
  fi
done
[ ${#failed[@]} -eq 0 ] || die "findings: ${failed[*]}" "Repeat one with: FUZZ=TARGET build/fuzz/bin/ganscale-fuzz FILE"
