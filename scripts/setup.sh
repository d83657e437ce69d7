#!/usr/bin/env bash
# Installs what ganscale needs on Debian 12 or Ubuntu 24.04, and nothing that is there already.
#   scripts/setup.sh [build] [demo] [test] [cuda] [docs] [package] [wheel] [site] [tracking] [video] [e2e] [fuzz] [mutation]     default: build
#     build    Debian packages, LibTorch (CPU part), Arrow, CMake, Ninja                        1.5 GB
#     demo     typefaces, whose letters the demo learns                                         0.2 GB more
#     test     the rest of torch, numpy, safetensors, clang-format, lizard, a browser           3.6 GB more
#     cuda     CUDA's libraries, and nvcc for a machine without a CUDA toolkit                  3.2 GB more, 0.3 with test
#     docs     what writes the dashboards and tests the ONNX recipe (also part of test)         0.2 GB more
#     package  what makes the Debian package                                                    0.1 GB more
#     wheel    what makes and tests the Python wheel (also part of test)                        0.1 GB more
#     site     what makes the documentation's site (also part of test)                          0.1 GB more
#     tracking an MLflow server and others that the tests of trackers and WebDataset compare with 0.3 GB more
#     video    libav: the next build writes videos as MP4                                       0.3 GB more
#     fuzz     clang with libFuzzer                                                             0.5 GB more
#     mutation libclang, which finds the places for mutants                                     0.1 GB more
#     e2e      a container runtime and Prometheus, for the tests with real pods                 0.5 GB more
# Packages come by apt-get (root or sudo); the rest goes into a Python environment in the user's cache folder,
# which every clone with the same pins shares.
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/environment.sh
. "$scripts/environment.sh"
help_if_asked "$@"
# Should this script be killed all the same, pip keeps the lock of the setup: the next one waits for what it still installs.
trap end_started EXIT
logs=$cache_folder
[ ! -e "$logs" ] || [ -w "$logs" ] || logs=$repository/build/setup-logs

# Runs a command with its output in a file; a line every 20 seconds says that it is still at work.
#   logged NAME COMMAND...
logged() {
  local log="$logs/$1.log" status=0
  shift
  mkdir -p "$logs"
  "$@" >"$log" 2>&1 </dev/null &
  local command=$! next=$((SECONDS + 20))
  while kill -0 "$command" 2>/dev/null; do
    sleep 0.2
    if [ "$SECONDS" -ge "$next" ]; then
      say "  still working ..."
      next=$((SECONDS + 20))
    fi
  done
  wait "$command" || status=$?
  return "$status"
}

# Ends the script after a failed download, with the end of its log and what to do.
#   download_failed NAME WHAT
download_failed() {
  local log="$logs/$1.log" advice="The whole log: $logs/$1.log"
  tail -n 15 "$log" >&2
  if grep -qiE 'temporary failure|could not resolve|unreachable|timed out|connection|max retries|unable to connect' "$log"; then
    die "$2 failed: the network or the package index cannot be reached" \
      "Check the network and the proxy settings, then run the same command again: it goes on where it stopped." "$advice"
  elif grep -qiE 'no space left' "$log"; then
    die "$2 failed: the disk is full" "Free some space, then run the same command again." "$advice"
  fi
  die "$2 failed" "$advice"
}

check_machine() {
  [ "$(uname -s)" = Linux ] || die "this setup needs Linux: $(uname -s)" "Use Debian 12 or Ubuntu 24.04, or a container of one."
  [ "$(uname -m)" = x86_64 ] ||
    die "the pinned LibTorch is for x86_64 and this machine is $(uname -m)" "Use an x86_64 machine."
  command -v apt-get >/dev/null ||
    die "apt-get is missing: this setup supports Debian 12 and Ubuntu 24.04" \
      "Elsewhere, install the counterparts of the packages in scripts/apt-packages.txt, then a torch 2.11," \
      "and configure with -DTORCH_SITE=FOLDER."
}

# Ends the script unless the cache folder takes what a tier brings.
#   check_disk TIER MEGABYTES
check_disk() {
  local free
  [ -w "$cache_folder" ] ||
    die "the tier '$1' is not installed yet, and $cache_folder cannot be written to" \
      "Run scripts/setup.sh $1 where it can be, or name another place with XDG_CACHE_HOME=FOLDER."
  free=$(df -Pm "$cache_folder" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$2" ] ||
    die "too little disk in $cache_folder for the tier '$1': $free MB free, $2 MB needed" \
      "Free some space, or name another place with XDG_CACHE_HOME=FOLDER."
}

# Prints the packages of a list that are not installed.
missing_packages() {
  local package
  sed 's/#.*//; /^ *$/d' "$1" | while read -r package; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# Sets as_root to the command that makes us root: none for root, else sudo if it is there and may be used.
find_root() {
  as_root=()
  [ "$(id -u)" -ne 0 ] || return 0
  command -v sudo >/dev/null || return 1
  # `sudo -v` asks for the password here, not in a log. It would also ask those who need none for apt-get, if they do for anything else.
  sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; } || return 1
  as_root=(sudo)
}

lists_updated=

#   install_packages LOG PACKAGE...
install_packages() {
  local log=$1
  shift
  find_root || { say "Installing these Debian packages needs root or sudo: $*"; return 1; }
  say "Installing $# Debian packages: $*"
  # apt-get has a lock of its own, and may start a daemon, which would keep ours.
  if [ -z "$lists_updated" ]; then
    logged "$log" "${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=300 update 9>&- ||
      say "apt-get update failed: going on with the lists that are there"
    lists_updated=yes
  fi
  logged "$log" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
    install --no-install-recommends --no-remove "$@" 9>&-
}

# Installs the packages of a list, or ends the script.
#   needed_packages LIST
needed_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$1")
  [ ${#missing[@]} -gt 0 ] || return 0
  find_root || die "these Debian packages are missing, and installing them needs root or sudo: ${missing[*]}" \
    "Ask somebody who may to run: apt-get install ${missing[*]}"
  install_packages apt "${missing[@]}" || download_failed apt "apt-get install ${missing[*]}"
}

packages_for_building() {
  needed_packages "$scripts/apt-packages.txt"
  local compiler
  compiler=$(g++ -dumpversion | cut -d . -f 1)
  [ "$compiler" -ge 12 ] || die "g++ is too old: $compiler, 12 needed" "Use Debian 12, Ubuntu 24.04 or newer."
}

# Installs the packages of a list; if they can't be had together, each one that can.
#   optional_packages TIER WITHOUT      apt-packages-TIER.txt; WITHOUT tells what follows where one can't be had
optional_packages() {
  local missing package
  mapfile -t missing < <(missing_packages "$scripts/apt-packages-$1.txt")
  [ ${#missing[@]} -eq 0 ] || install_packages "apt-$1" "${missing[@]}" || for package in "${missing[@]}"; do
    install_packages "apt-$1" "$package" || say "Could not install $package: $2"
  done
}

# The tests do without these: a test that misses one says so and is skipped.
packages_for_testing() {
  local missing package
  mapfile -t missing < <(missing_packages "$scripts/apt-packages-test.txt")
  for package in ${missing[@]+"${missing[@]}"}; do
    if [ "$package" = chromium ] && grep -qs '^ID=ubuntu' /etc/os-release; then
      command -v chromium chromium-browser google-chrome >/dev/null ||
        say "Ubuntu has no chromium package but a snap: the browser tests are skipped unless you install one"
    else
      install_packages apt-test "$package" || say "Could not install $package: the tests that need it are skipped"
    fi
  done
}

# Makes the environment's folder and its pip.
python_environment() {
  [ ! -e "$python_folder/.made" ] || return 0
  say "Making a Python environment: $python_folder"
  logged venv /usr/bin/python3 -m venv "$python_folder" || download_failed venv "python3 -m venv"
  touch "$python_folder/.made"
  local older
  for older in "${python_folder%-*}"-*; do
    [ "$older" = "$python_folder" ] || say "There is also an environment with other pins; remove it if no clone uses it: $older"
  done
}

# nvcc and ld look for lib64/libcudart.so, which the wheels lack.
link_cuda_libraries() {
  local cuda
  for cuda in "$python_folder"/lib/python3*/site-packages/nvidia/cu13; do
    [ -d "$cuda" ] || continue
    ln -sfn lib "$cuda/lib64"
    ln -sf libcudart.so.13 "$cuda/lib/libcudart.so"
  done
}

# Installs scripts/requirements/TIER.txt once.
#   python_tier TIER MEGABYTES_NEEDED
python_tier() {
  [ ! -e "$python_folder/.tier-$1" ] || return 0
  check_disk "$1" "$2"
  python_environment
  say "Installing the Python packages of the tier '$1' (minutes on the first run)"
  rm -rf "$cache_folder/tmp" # what an interrupted pip has left
  mkdir -p "$cache_folder/tmp"
  TMPDIR="$cache_folder/tmp" logged "pip-$1" "$python_folder/bin/python" -m pip install --quiet --no-input \
    --disable-pip-version-check --no-deps --no-cache-dir --no-compile --progress-bar off \
    -r "$scripts/requirements/$1.txt" || download_failed "pip-$1" "pip install -r scripts/requirements/$1.txt"
  link_cuda_libraries
  touch "$python_folder/.tier-$1"
}

# python_environment and python_tier, for the separate environment that scripts/python-folder.sh describes.
#   own_tier TIER MEGABYTES_NEEDED
own_tier() {
  local python_folder
  python_folder=$("$scripts/python-folder.sh" "$1")
  python_tier "$1" "$2"
}

check_machine
mkdir -p "$cache_folder" || die "cannot write to $cache_folder" "Choose another folder with XDG_CACHE_HOME=FOLDER."
# A folder that is read-only, as in an image, may hold all that is needed; check_disk() says if it does not.
if [ -w "$cache_folder" ]; then
  exec 9>"$cache_folder/setup.lock"
  flock -n 9 || { say "Waiting for another setup to finish ..."; flock 9; }
fi
packages_for_building
find_tools # again: the packages may have brought Python
[ $# -gt 0 ] || set -- build
for tier in "$@"; do
  case $tier in
    build) python_tier build 2500 ;;
    demo) optional_packages demo "the demo does without" ;;
    test-packages) packages_for_testing ;;
    test)
      packages_for_testing
      python_tier build 2500
      python_tier test 8000
      own_tier docs 300
      own_tier wheel 300
      own_tier site 100
      ;;
    cuda)
      python_tier build 2500
      python_tier test 8000 # with CUDA's libraries
      python_tier cuda 1000
      ;;
    docs) own_tier docs 300 ;;
    package) needed_packages "$scripts/apt-packages-package.txt" ;;
    wheel) own_tier wheel 300 ;;
    site) own_tier site 100 ;;
    tracking) own_tier tracking 600 ;;
    video) needed_packages "$scripts/apt-packages-video.txt" ;;
    # A package that would take the place of another (Docker's container runtime) is left out.
    e2e) optional_packages e2e "tests that need it are skipped" ;;
    fuzz) needed_packages "$scripts/apt-packages-fuzz.txt" ;;
    mutation) own_tier mutation 100 ;;
    *) die "unknown tier: $tier" "Tiers: build, demo, test, test-packages, cuda, docs, package, wheel, site, tracking, video, e2e, fuzz, mutation." ;;
  esac
done
say "Setup is complete: $*"
