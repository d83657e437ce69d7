# Sourced by the other scripts: where the tools of scripts/setup.sh are, and a compiler cache that every clone shares.
# shellcheck shell=bash
[ "$(uname -s)" = Linux ] || { echo "ganscale is built on Linux, and this is $(uname -s): use a container or another machine" >&2; exit 1; }
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export HOME=${HOME:-/tmp}  # some machines have none
cache_folder=${XDG_CACHE_HOME:-$HOME/.cache}/ganscale

# Puts the tools of the Python environment on the PATH. A machine without Python learns its folder from setup.sh: what runs
# setup.sh and then these tools calls this again.
find_tools() {
  python_folder=$("$repository/scripts/python-folder.sh")
  export PATH="$python_folder/bin:$PATH"
}
find_tools
# CMake would look for Python and libraries in an active environment of the user's.
unset VIRTUAL_ENV CONDA_PREFIX

# Paths below the checkout are hashed relative to it, so that another clone finds the same objects.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$repository} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
# What ccache needs for precompiled headers; no source of ours uses __TIME__.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros,include_file_mtime,include_file_ctime}
# Whether a file or folder can be written to, or made.
can_be_written() {
  local path=$1
  until [ -e "$path" ]; do path=$(dirname "$path"); done
  [ -w "$path" ]
}
# The user's own cache, if there was one first.
own_ccache() { [ -d "$HOME/.ccache" ] || [ -d "${XDG_CACHE_HOME:-$HOME/.cache}/ccache" ] || [ -d "${XDG_CONFIG_HOME:-$HOME/.config}/ccache" ]; }
if [ -z "${CCACHE_DIR:-}" ] && { [ -d "$cache_folder/ccache" ] || ! own_ccache; }; then
  export CCACHE_DIR=$cache_folder/ccache
  # One that cannot be written to, as in an image, is still read.
  can_be_written "$CCACHE_DIR" || export CCACHE_READONLY=1 CCACHE_TEMPDIR=$repository/build/ccache-tmp
fi

# Prints how many files to compile at a time: as many as there are cores, and as the memory carries, since one with LibTorch's headers
# takes up to 2 GB. A container has limits of its own.
cgroup_folder=/sys/fs/cgroup
compile_jobs() {
  local jobs by_quota by_memory
  jobs=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc) # which programs with OpenMP may have, and compilers need not heed
  by_quota=$(awk '$1 != "max" { print int(($1 + $2 - 1) / $2) }' "$cgroup_folder/cpu.max" 2>/dev/null) || by_quota=""
  by_memory=$({
    awk '/^MemAvailable/ { print $2 * 1024 }' /proc/meminfo
    cat "$cgroup_folder/memory.max" 2>/dev/null || true
  } | awk '$1 != "max" && (!least || $1 < least) { least = $1 } END { print int(least / 2e9) }')
  jobs=$(printf '%s\n' "$jobs" "${by_quota:-$jobs}" "$by_memory" | sort -n | head -n 1)
  [ "$jobs" -ge 1 ] || jobs=1
  echo "${CMAKE_BUILD_PARALLEL_LEVEL:-$jobs}"
}

# Adds to `started` what a process has started, and what that has started; not apt-get, which must not be cut off while it unpacks.
#   find_started PID
find_started() {
  local list name child children
  for list in /proc/"$1"/task/*/children; do
    children=()
    { read -ra children <"$list" || true; } 2>/dev/null # ends without a newline
    for child in ${children[@]+"${children[@]}"}; do
      name=
      { read -r name <"/proc/$child/comm" || true; } 2>/dev/null
      [ "$name" != apt-get ] || continue
      started+=("$child")
      find_started "$child"
    done
  done
}

# For a trap on EXIT: ends what the shell has started. SIGTERM reaches the shell alone, and Ctrl-C nothing in the background.
end_started() {
  local started=()
  find_started "$BASHPID"
  [ ${#started[@]} -eq 0 ] || kill "${started[@]}" 2>/dev/null || true
}

# Prints a line with the time since the script began.
say() { printf '[%s %4d s] %s\n' "$(basename "$0" .sh)" "$SECONDS" "$*"; }

# Prints the comment at the head of the script and ends it, if its first argument asks for help.
#   help_if_asked "$@"
help_if_asked() {
  case ${1:-} in
    -h | --help) sed -n '2,/^[^#]/ s/^# \{0,1\}//p' "$0" && exit 0 ;;
  esac
}

# Prints why the script ends, and ends it.
die() {
  printf '\n%s: %s\n' "$(basename "$0" .sh)" "$1" >&2
  shift
  [ $# -eq 0 ] || printf '  %s\n' "$@" >&2
  exit 1
}
