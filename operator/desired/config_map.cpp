#include "desired/config_map.h"

#include "api/yaml.h"

namespace ganscale::controller {
namespace {

constexpr const char* kLaunchScript = R"(#!/bin/sh
# Waits until every worker has a name, then runs mpirun. mpirun forwards SIGUSR1, on which the ranks write a checkpoint
# and end with 143; SIGTERM it would answer with SIGKILL after seconds.
for host in $(cut -d ' ' -f 1 /etc/mpi/hostfile); do
  until getent hosts "$host" >/dev/null; do sleep 1; done
done
mpirun "$@" &
child=$!
trap 'kill -USR1 $child' TERM
while :; do
  wait $child
  code=$?
  kill -0 $child 2>/dev/null || exit $code
done
)";

}  // namespace

Json config_map(const Plan& plan) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", metadata_of(plan, config_map_name(plan.key))},
          {"data", {{"config.yaml", to_yaml(plan.config)}, {"launch.sh", kLaunchScript}}}};
}

Json control_secret(const Plan& plan, const std::string& token) {
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", metadata_of(plan, secret_name(plan.key))},
          {"type", "Opaque"},
          {"stringData", {{"token", token}}}};
}

}  // namespace ganscale::controller
