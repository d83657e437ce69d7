# Sourced by scripts/demo.sh.
# shellcheck shell=bash

# Runs mpirun so that Ctrl-C, SIGTERM and a closed terminal reach it as SIGUSR1: the ranks write a checkpoint and end with
# 143. A SIGINT or SIGTERM of its own, mpirun follows by SIGKILL after a second. The second one ends it that way.
#   stoppable mpirun ARGUMENT...
stoppable() {
  local child code
  setsid "$@" </dev/null & # out of the terminal's foreground, which gets Ctrl-C as a whole
  child=$!
  trap 'kill -USR1 $child; trap "kill -TERM $child" INT TERM HUP' INT TERM HUP
  while :; do
    wait $child
    code=$?
    kill -0 $child 2>/dev/null || break
  done
  trap - INT TERM HUP
  return $code
}
