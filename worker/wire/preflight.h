#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ganscale::wire {

/// A node that the next attempt should avoid.
struct FaultyNode {
  std::string host;    ///< its host name
  int first_rank = 0;  ///< the lowest rank on it
  std::string reason;
  bool operator==(const FaultyNode&) const = default;
};

/// What the preflight found about the fabric that joins the nodes of a run. 1 GB is 1e9 bytes.
struct Preflight {
  double gigabytes_per_second = 0;        ///< bus bandwidth of the all-reduce of all ranks
  double floor_gigabytes_per_second = 0;  ///< 0: none
  int ranks = 1;
  int nodes = 1;
  int hcas = 0;                 ///< HCAs with an active port, on the node with the fewest
  std::string gpu_direct = {};  ///< peermem, dmabuf, none (of any node), or empty without GPUs
  std::int64_t measured_unix_seconds = 0;
  std::vector<FaultyNode> faulty_nodes = {};  ///< none if no node stands out
  std::string message = {};                   ///< what is wrong, for people; empty: all is well

  bool passed() const { return message.empty(); }
  bool operator==(const Preflight&) const = default;
};

nlohmann::ordered_json to_json(const Preflight& preflight);

/// Parses a result. Ignores unknown fields and keeps the defaults of absent ones.
/// Throws std::invalid_argument that names the field of another type.
Preflight parse_preflight(const nlohmann::ordered_json& json);

}  // namespace ganscale::wire
