#pragma once

#include <map>
#include <string>
#include <vector>

#include "object/fields.h"
#include "object/json.h"

namespace ganscale::controller::gan_training {

/// Resources and requirements of one node of a training: configs/nodes/NAME.yaml, or `spec.node` of
/// a GanTraining.
struct NodeProfile {
  int gpus = 0;
  std::string gpu_resource = "nvidia.com/gpu";
  int ranks = 1;                                 ///< processes a node: its GPUs, if it has any
  std::map<std::string, std::string> resources;  ///< further resources, such as RDMA devices
  std::string cpu;
  std::string memory;
  std::string shm;        ///< limit of /dev/shm; empty: the runtime's own
  bool ipc_lock = false;  ///< RDMA needs locked memory: the pod runs as root with IPC_LOCK
  std::map<std::string, std::string> node_selector;
  Json tolerations = Json::array();
  bool bind_to_gpu = false;  ///< each rank runs on the CPUs local to its GPU
  bool exclusive = false;    ///< at most one worker pod of any training on a node
  std::string topology_key;  ///< label that close nodes share; workers are packed by it
  std::map<std::string, std::string> environment;
  std::vector<std::string> mpirun;        ///< arguments of mpirun
  bool preflight = false;                 ///< each attempt measures the fabric before it trains
  double floor_gigabytes_per_second = 0;  ///< the least bus bandwidth that it passes with; 0: any
  int hcas = 0;                           ///< InfiniBand HCAs of the node; 0: any
};

/// The known profiles by name.
using NodeProfiles = std::map<std::string, NodeProfile>;

/// Reads a profile. Throws ConfigError with the field's path, also for an unknown field.
NodeProfile parse_node_profile(Fields in);

/// Returns the profiles that this program was built with: configs/nodes/*.yaml.
NodeProfiles built_in_node_profiles();

/// Adds each NAME.yaml of a folder, replacing a profile of the same name.
/// Throws ConfigError with file and field.
void add_node_profiles(NodeProfiles& profiles, const std::string& folder);

}  // namespace ganscale::controller::gan_training
