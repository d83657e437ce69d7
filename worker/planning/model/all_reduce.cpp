#include "planning/model/all_reduce.h"

#include <algorithm>
#include <cmath>

namespace ganscale::planning {
namespace {

/// Where the ranks are and what lies between them.
struct Layout {
  double nodes = 1;
  double gpus_of_node = 1;
  double inside_bytes_per_second = 0;
  double between_bytes_per_second = 0;
  double inside_latency = 0;
  double between_latency = 0;

  double slowest() const {
    if (nodes == 1) return inside_bytes_per_second;
    if (gpus_of_node == 1) return between_bytes_per_second;
    return std::min(inside_bytes_per_second, between_bytes_per_second);
  }
};

double carried_by_ring(double bytes, double ranks) { return 2 * (ranks - 1) / ranks * bytes; }

double ring(double bytes, const Layout& at) {
  const double ranks = at.nodes * at.gpus_of_node;
  const double latency =
      (ranks - at.nodes) * at.inside_latency + (at.nodes - 1) * at.between_latency;
  return carried_by_ring(bytes, ranks) / at.slowest() + 2 * latency;
}

double tree(double bytes, const Layout& at) {
  const double latency = std::ceil(std::log2(at.nodes)) * at.between_latency +
                         (at.gpus_of_node - 1) * at.inside_latency;
  return 2 * (bytes / at.slowest() + latency);
}

double hierarchical(double bytes, const Layout& at) {
  return carried_by_ring(bytes, at.gpus_of_node) / at.inside_bytes_per_second +
         carried_by_ring(bytes, at.nodes) / at.between_bytes_per_second +
         2 * (at.gpus_of_node - 1) * at.inside_latency + 2 * (at.nodes - 1) * at.between_latency;
}

}  // namespace

std::string_view name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kNone: return "-";
    case Algorithm::kRing: return "ring";
    case Algorithm::kTree: return "tree";
    case Algorithm::kHierarchical: return "hierarchical";
  }
  return "-";
}

AllReduceTime all_reduce_time(double bytes, int gpus, const Machine& machine, double link_share) {
  if (gpus == 1 || bytes == 0) return {};
  const double nodes = machine.nodes_of(gpus);
  const Layout at = {
      .nodes = nodes,
      .gpus_of_node = gpus / nodes,
      .inside_bytes_per_second = link_share * machine.inside.bytes_per_second,
      .between_bytes_per_second = link_share * machine.bytes_per_second_of_node(),
      .inside_latency = machine.inside.latency_seconds,
      .between_latency = machine.between.latency_seconds,
  };
  const AllReduceTime candidates[] = {{ring(bytes, at), Algorithm::kRing},
                                      {tree(bytes, at), Algorithm::kTree},
                                      {hierarchical(bytes, at), Algorithm::kHierarchical}};
  return *std::ranges::min_element(candidates, {}, &AllReduceTime::seconds);
}

}  // namespace ganscale::planning
