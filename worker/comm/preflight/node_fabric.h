#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ganscale::comm {

/// What a node has to reach other nodes with.
struct NodeFabric {
  std::string host;
  int first_rank = 0;  ///< the lowest rank on it
  int ranks = 1;
  int active_hcas = 0;                   ///< InfiniBand or RoCE cards with an active port
  std::vector<std::string> down_hcas{};  ///< names of the cards without one, such as mlx5_3
  /// How cards read the GPUs' memory: peermem (the module nvidia_peermem), dmabuf (the driver's own
  /// way), none (through the host's memory); empty without GPUs.
  std::string gpu_direct{};
};

/// Reads what this machine has. uses_gpu: whether ranks compute on GPUs. root: where /sys is.
NodeFabric read_node_fabric(bool uses_gpu, const std::filesystem::path& root = "/");

}  // namespace ganscale::comm
