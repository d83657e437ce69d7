#!/usr/bin/env bash
# Runs every check that needs no GPU, or the named stages of it.
#   scripts/test.sh [STAGE...]
#     lint       layout and limits of docs/style.md
#     release    every test without a GPU, optimized build
#     cuda       with CUDA and NCCL the programs and the GPU tests compile and link, for one architecture, and train on the CPU
#     asan       tests of what touches memory itself, and collective tests, under AddressSanitizer, LeakSanitizer and
#                UndefinedBehaviorSanitizer
#     tsan       tests of what has threads, and collective tests, under ThreadSanitizer
#   and what is slow and seldom broken (make check-long):
#     headers    each header compiles alone
#     gpu        the CUDA build for every architecture, the image and the wheel with it, and the build without services and
#                MPI, as scripts/gpu-check.sh builds it
#     asan-all, tsan-all   also the tests that compute with tensors
#     long       `release` once more, with the tests that it shortens at full length (tests/support/thorough.*) and those with
#                the label long
#     kubernetes the tests against a control plane once more, with a newer Kubernetes
# GANSCALE_TIERS="package e2e": what else scripts/setup.sh installs while the stage `release` compiles, for tests that are
# skipped without it.
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
help_if_asked "$@"
cd "$repository"
trap end_started EXIT
logs=$repository/build/test-logs

# Three slots for each core and two: a test that computes takes three, one that mostly waits takes one (PROCESSORS in CMake). So
# with two cores, one computes beside five that wait, or two beside two.
#   run_ctest STAGE CTEST_ARGUMENT...
run_ctest() {
  local stage=$1
  shift
  ctest --test-dir "build/${stage%%-*}" --output-on-failure --no-tests=error -j "$((3 * $(nproc) + 2))" "$@" 2>&1 | tee "$logs/ctest-$stage.log"
}

# What tests need and compiling does not, while the compiler works.
prepare_tests() {
  local more
  read -ra more <<<"${GANSCALE_TIERS:-}"
  scripts/setup.sh test "${more[@]}" && build_tools && build_tools --addons && build_tools --s3
}
build_tools() { tests/cluster/build-tools.sh "$@" >/dev/null || [ $? -eq 77 ]; }

stage_release() {
  prepare_tests >"$logs/prepare.log" 2>&1 &
  local preparing=$!
  scripts/build.sh release || return 1
  say "Waiting for what the tests need: $logs/prepare.log"
  wait "$preparing" || { cat "$logs/prepare.log" >&2; return 1; }
  run_ctest release -LE '^(gpu|long)$'
}

stage_long() {
  export GANSCALE_THOROUGH=1
  scripts/build.sh release && run_ctest release-long -LE gpu
}

stage_kubernetes() {
  export GANSCALE_KUBERNETES=next
  scripts/build.sh release && build_tools --next && run_ctest release-kubernetes -L cluster
}

stage_lint() { scripts/lint.sh; }

# What a header includes is read when CMake configures.
stage_headers() {
  scripts/build.sh release rebuild_cache && scripts/build.sh release header_check
}

# LibTorch and Open MPI are not instrumented: what tests/support/suppressions name is theirs.
# LeakSanitizer guesses where glibc keeps thread-local variables of loaded libraries, and ends the test where the guess is
# wrong; it finds them all the same, since they are allocated memory (intercept_tls_get_addr).
set_asan_options() {
  export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:intercept_tls_get_addr=0
  export UBSAN_OPTIONS=print_stacktrace=1
  export LSAN_OPTIONS=suppressions=$repository/tests/support/suppressions/leaks.supp:print_suppressions=0
}

stage_asan() {
  scripts/build.sh asan sanitizer_tests && set_asan_options && run_ctest asan -L '^sanitizer$'
}

stage_asan-all() {
  scripts/build.sh asan unit_tests collective_tests && set_asan_options && run_ctest asan-all -L '^(unit|collective)$'
}

# A watchdog ends its process while other threads still run: that is not a leak of threads.
set_tsan_options() {
  # Ubuntu's PMIx maps its shared memory where ThreadSanitizer has its own; the other store of its keys needs none.
  export PMIX_MCA_gds=hash
  export TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1:report_thread_leaks=0:suppressions=$repository/tests/support/suppressions/races.supp
}

stage_tsan() {
  scripts/build.sh tsan sanitizer_tests && set_tsan_options && run_ctest tsan -L '^sanitizer$'
}

stage_tsan-all() {
  scripts/build.sh tsan threaded_tests collective_tests && set_tsan_options && run_ctest tsan-all -L '^(threaded|collective)$'
}

stage_cuda() {
  scripts/build.sh cuda-check ganscale ganscale-parity gpu_tests &&
    CUDA_VISIBLE_DEVICES='' ctest --test-dir build/cuda-check --output-on-failure --no-tests=error -R '^first_run$' 2>&1 |
    tee "$logs/ctest-cuda.log"
}

stage_gpu() {
  scripts/build.sh cuda ganscale ganscale-parity gpu_tests && { tests/e2e/cuda_image.sh build/cuda || [ $? -eq 77 ]; } &&
    GANSCALE_BUILD=$repository/build/cuda "$python_folder/bin/python3" tests/wheel/wheel_test.py &&
    scripts/build.sh gpu ganscale gpu_tests
}

[ $# -gt 0 ] || die "no stage given" "Stages: $(declare -F | sed -n 's/^declare -f stage_//p' | tr '\n' ' ')"
tiers=(build)
for stage in "$@"; do
  declare -F "stage_$stage" >/dev/null || die "unknown stage: $stage" "Run scripts/test.sh without arguments for a list."
  case $stage in
    # prepare_tests() brings the rest, but cannot ask for a password.
    release) [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null || tiers+=(test-packages) ;;
    cuda) tiers+=(test cuda) ;;
    gpu) tiers+=(test cuda e2e) ;;
    *) tiers+=(test) ;;
  esac
done
mapfile -t tiers < <(printf '%s\n' "${tiers[@]}" | awk '!seen[$0]++')
scripts/setup.sh "${tiers[@]}"
find_tools
mkdir -p "$logs"

times=()
for stage in "$@"; do
  say "Stage $stage"
  began=$SECONDS
  (trap end_started EXIT && "stage_$stage") || die "the stage '$stage' failed: see above" "Rerun it with: scripts/test.sh $stage"
  times+=("$(printf '%-8s %5d s' "$stage" $((SECONDS - began)))")
done

say "Every stage passed:"
printf '  %s\n' "${times[@]}"
for stage in "$@"; do
  log=$logs/ctest-$stage.log
  [ -f "$log" ] || log=$logs/ctest-release-$stage.log
  [ ! -f "$log" ] || [ "$stage" = release ] || echo "$stage: $(grep 'tests passed' "$log")"
done
[[ " $* " != *" release "* ]] || grep -A 100 'tests passed' "$logs/ctest-release.log"
