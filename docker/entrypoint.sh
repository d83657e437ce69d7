#!/bin/bash
# What a container of the worker's image starts with.
#   ganscale-entrypoint worker           preflight, then sshd on port 2222: what an MPIJob's workers run
#   ganscale-entrypoint launch ARGS...   waits until every host of /etc/mpi/hostfile has a name, then runs mpirun ARGS
#   ganscale-entrypoint COMMAND...       preflight, then the command
set -u

warn() { echo "ganscale-entrypoint: $*" >&2; }

# Whether this process may lock memory beyond the limit: it has CAP_IPC_LOCK, number 14.
may_lock_memory() {
  local capabilities
  capabilities=$(sed -n 's/^CapEff:\t/16#/p' "/proc/$$/status")
  ((capabilities >> 14 & 1))
}

# Prints the interfaces that NCCL takes by NCCL_SOCKET_IFNAME: a list of prefixes, with "=" of names; with "^" all others.
interfaces() {
  local list=${1#^} rest='*' listed=yes others=no path name taken
  [[ $1 != ^* ]] || { listed=no others=yes; }
  [[ $list != =* ]] || rest=
  for path in /sys/class/net/*; do
    taken=$others
    for name in $(tr , ' ' <<<"${list#=}"); do
      [[ ${path##*/} != "$name"$rest ]] || taken=$listed
    done
    [ $taken = no ] || echo "${path##*/}"
  done
}

# Says what would make a training slow or end it later. It never ends the container: a CPU run needs none of this.
preflight() {
  local locked shm
  locked=$(ulimit -l)
  if [ "$locked" != unlimited ] && ! may_lock_memory &&
    compgen -G "${GANSCALE_INFINIBAND:-/dev/infiniband}/uverbs*" >/dev/null; then
    warn "locked memory is limited to $locked KiB: RDMA can't register memory, and NCCL falls back to TCP." \
      "Run as root with IPC_LOCK, or with a runtime that sets LimitMEMLOCK=infinity."
  fi
  shm=$(df -Pm /dev/shm 2>/dev/null | awk 'NR == 2 { print $2 }')
  [ "${shm:-0}" -ge 1024 ] ||
    warn "/dev/shm has ${shm:-0} MiB: ranks and NCCL exchange through it. Mount a larger one (docker run --shm-size, emptyDir)."
  if [ -n "${NCCL_SOCKET_IFNAME:-}" ] && [ -z "$(interfaces "$NCCL_SOCKET_IFNAME")" ]; then
    warn "NCCL_SOCKET_IFNAME=$NCCL_SOCKET_IFNAME names no interface: there are $(cd /sys/class/net && echo *)."
  fi
}

# Passes lines on. The last status, with which rank 0 ends, becomes the message that the pod leaves to the operator.
keep_last_status() {
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      'ganscale: last status: '*) printf '%s' "${line#*status: }" >"${GANSCALE_TERMINATION_LOG:-/dev/termination-log}" ;;
      *) printf '%s\n' "$line" ;;
    esac
  done
}

# Passes lines on. A rank that lost another says so as it ends (75), and mpirun then ends the others; but it waits for the answer
# of every host, though it may not reach one (a quarter of an hour, until the kernel gives the connection up). So the launcher
# is told, and gives mpirun a minute.
notice_lost_ranks() {
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    printf '%s\n' "$line"
    case $line in *exit_code=75* | *'"exit_code":75'*) kill -USR2 $$ ;; esac
  done
}

# Ends processes that have not ended by themselves in time.
end_later() {
  exec </dev/null >/dev/null 2>&1
  sleep "${GANSCALE_MPIRUN_SECONDS:-60}"
  kill -KILL "$@"
}

# Waits until a child has ended, whatever signals arrive meanwhile, and returns its exit code.
wait_for() {
  wait "$1"
  while kill -0 "$1" 2>/dev/null; do wait "$1"; done
  wait "$1" # once more: a signal during the last wait has put its own code in place of the child's
}

# mpirun forwards SIGUSR1, on which the ranks write a checkpoint and end with 143; SIGTERM it would answer with SIGKILL
# after seconds. So SIGTERM becomes SIGUSR1, and the exit code is the ranks'. But 138, of a rank that was just starting and had no
# handler yet, becomes 143, too; and 137, a rank that was killed, out of memory say, becomes 75, a lost rank: the run can resume
# from its last checkpoint.
launch() {
  local host child code lines reader errors watcher deadline='' stopped=''
  while read -r host _; do
    until getent hosts "$host" >/dev/null; do sleep 1; done
  done <"${GANSCALE_HOSTFILE:-/etc/mpi/hostfile}"
  exec {lines}> >(keep_last_status)
  reader=$!
  exec {errors}> >(notice_lost_ranks >&2)
  watcher=$!
  trap : USR2 # until there is something to end
  mpirun "$@" 1>&"$lines" 2>&"$errors" &
  child=$!
  exec {lines}>&- {errors}>&-
  trap 'stopped=yes; kill -USR1 $child' TERM
  trap '[ -n "$deadline" ] || { end_later "$child" "$reader" "$watcher" & deadline=$!; }' USR2
  wait_for "$child"
  code=$?
  wait_for "$reader"
  wait_for "$watcher"
  [ -z "$deadline" ] || kill "$deadline" 2>/dev/null
  [ $code -ne 138 ] || [ -z "$stopped" ] || code=143
  [ $code -ne 137 ] || code=75
  exit $code
}

case ${1:-} in
  worker)
    preflight
    shift
    config=/etc/ssh/sshd_config
    [ "$(id -u)" -eq 0 ] || config=/home/mpiuser/.sshd_config
    exec /usr/sbin/sshd -De -p 2222 -f $config "$@"
    ;;
  launch)
    shift
    launch "$@"
    ;;
  *)
    preflight
    exec "$@"
    ;;
esac
