#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "comm/preflight/node_fabric.h"
#include "wire/preflight.h"

namespace ganscale::comm {

/// What the fabric must have. Each is 0 if nothing is required.
struct FabricRequirements {
  double floor_gigabytes_per_second = 0;  ///< of the bus bandwidth
  int hcas = 0;                           ///< HCAs with an active port on each node
};

/// The all-reduce of the ranks of two neighbors, by their indices among the nodes.
struct MeasuredPair {
  int first = 0;
  int second = 0;
  double gigabytes_per_second = 0;
};

/// What was measured of a fabric.
struct FabricMeasurement {
  int ranks = 1;
  double gigabytes_per_second = 0;       ///< of all ranks
  std::vector<NodeFabric> nodes = {};    ///< in the order of their ranks
  std::vector<MeasuredPair> pairs = {};  ///< only if all ranks together were below the floor
  std::int64_t measured_unix_seconds = 0;
};

/// Returns rounds of pairs of nodes: in each, no node is in two pairs; together they are a ring.
std::vector<std::vector<std::pair<int, int>>> ring_pairs(int node_count);

/// Returns the bandwidth of the fastest pair that a node is in; 0 if none was measured.
double best_pair(const FabricMeasurement& measured, int node);

/// Compares a measurement with what is required.
///
/// A node is faulty if it lacks HCAs, or if the whole is below the floor and so are both pairs that
/// the node is in. Of two nodes, both are. If all of three or more are, none stands out: none is
/// named.
wire::Preflight verdict(const FabricMeasurement& measured, const FabricRequirements& required);

/// Returns a table for people, with what to do.
std::string to_table(const FabricMeasurement& measured, const wire::Preflight& result);

}  // namespace ganscale::comm
