#!/usr/bin/env bash
# Runs every check that needs no GPU, or the named stages of it.
#   scripts/test.sh [lint] [release] [headers] [asan] [tsan] [cuda]
#     lint     layout and limits of docs/style.md
#     release  every test without a GPU, optimized build
#     headers  each header compiles alone
#     asan     unit and collective tests under AddressSanitizer, LeakSanitizer, UndefinedBehaviorSanitizer
#     tsan     tests of what has threads, and collective tests, under ThreadSanitizer
#     cuda     with CUDA and NCCL the programs and the GPU tests compile and link, also without services and MPI, as
#              scripts/gpu-check.sh builds them
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
cd "$repository"
logs=$repository/build/test-logs

#   run_ctest PRESET CTEST_ARGUMENT...
run_ctest() {
  local preset=$1
  shift
  ctest --test-dir "build/$preset" --output-on-failure -j "$(nproc)" "$@" 2>&1 | tee "$logs/ctest-$preset.log"
}

stage_release() {
  scripts/build.sh release && run_ctest release -LE gpu
}

stage_lint() { scripts/lint.sh; }

# What a header includes is read when CMake configures.
stage_headers() {
  scripts/build.sh release rebuild_cache && scripts/build.sh release header_check
}

# LibTorch and Open MPI are not instrumented: what tests/support/*.supp name is theirs.
# LeakSanitizer guesses where glibc keeps thread-local variables of loaded libraries, and ends the test where the guess is
# wrong; it finds them all the same, since they are allocated memory (intercept_tls_get_addr).
stage_asan() {
  scripts/build.sh asan unit_tests collective_tests || return 1
  export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:intercept_tls_get_addr=0
  export UBSAN_OPTIONS=print_stacktrace=1
  export LSAN_OPTIONS=suppressions=$repository/tests/support/leaks.supp:print_suppressions=0
  run_ctest asan -L '^(unit|collective)$'
}

# A watchdog ends its process while other threads still run: that is no leak of threads.
stage_tsan() {
  scripts/build.sh tsan threaded_tests collective_tests || return 1
  # Ubuntu's PMIx maps its shared memory where ThreadSanitizer has its own; the other store of its keys needs none.
  export PMIX_MCA_gds=hash
  export TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1:report_thread_leaks=0:suppressions=$repository/tests/support/races.supp
  run_ctest tsan -L '^(threaded|collective)$'
}

stage_cuda() {
  scripts/build.sh cuda ganscale ganscale-parity gpu_tests && scripts/build.sh gpu ganscale gpu_tests
}

stages='release lint headers cuda asan tsan'
[ $# -gt 0 ] || die "no stage given" "Stages: $stages."
tiers=(test)
[[ " $* " != *" cuda "* ]] || tiers+=(cuda)
scripts/setup.sh "${tiers[@]}"
find_tools
mkdir -p "$logs"

times=()
for stage in "$@"; do
  declare -F "stage_$stage" >/dev/null || die "unknown stage: $stage" "Stages: $stages."
  say "Stage $stage"
  began=$SECONDS
  ("stage_$stage") || die "the stage '$stage' failed: see above" "Rerun it with: scripts/test.sh $stage"
  times+=("$(printf '%-8s %5d s' "$stage" $((SECONDS - began)))")
done

say "Every stage passed:"
printf '  %s\n' "${times[@]}"
for stage in "$@"; do
  [ ! -f "$logs/ctest-$stage.log" ] || [ "$stage" = release ] || echo "$stage: $(grep 'tests passed' "$logs/ctest-$stage.log")"
done
[[ " $* " != *" release "* ]] || grep -A 100 'tests passed' "$logs/ctest-release.log"
