#include "comm/preflight/preflight.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "comm/collectives/gather_text.h"
#include "comm/collectives/numbers.h"
#include "comm/preflight/bandwidth.h"
#include "wire/names.h"

namespace ganscale::comm {
namespace {

using Json = nlohmann::ordered_json;

/// The nodes, and which of them each rank is on.
struct Nodes {
  std::vector<NodeFabric> nodes;
  std::vector<int> of_rank;
};

FabricRequirements of_rank_0(Group& group, const FabricRequirements& own) {
  double floor = own.floor_gigabytes_per_second;
  std::int64_t hcas = own.hcas;
  broadcast_from_rank_0(group, {&floor});
  broadcast_from_rank_0(group, {&hcas});
  return {.floor_gigabytes_per_second = floor, .hcas = static_cast<int>(hcas)};
}

/// Has all ranks know the nodes, in the order of their ranks.
Nodes gather_nodes(Group& group, const NodeFabric& own) {
  const Json told = Json::array({own.host, own.active_hcas, own.down_hcas, own.gpu_direct});
  Nodes all;
  int rank = 0;
  for (const std::string& text : gather_text(group, told.dump())) {
    const Json json = Json::parse(text);
    const auto same = std::ranges::find(all.nodes, json[0].get<std::string>(), &NodeFabric::host);
    all.of_rank.push_back(static_cast<int>(same - all.nodes.begin()));
    if (same == all.nodes.end()) {
      all.nodes.push_back({.host = json[0],
                           .first_rank = rank,
                           .active_hcas = json[1],
                           .down_hcas = json[2],
                           .gpu_direct = json[3]});
    } else {
      ++same->ranks;
    }
    ++rank;
  }
  return all;
}

/// Measures the pairs of a round at the same time, as in the all-reduce of all ranks.
std::vector<MeasuredPair> measure_round(Group& group, c10::Device device, const Nodes& all,
                                        const std::vector<std::pair<int, int>>& round) {
  const int node = all.of_rank[group.rank()];
  const auto own = std::ranges::find_if(
      round, [&](const auto& pair) { return pair.first == node || pair.second == node; });
  const auto part = group.split(static_cast<int>(own - round.begin()));  // the last one: no pair
  const double here = own == round.end() ? 0 : bus_gigabytes_per_second(*part, device);
  part->finish();
  const at::Tensor of_ranks = group.all_gather(at::tensor(here, at::kDouble));
  std::vector<MeasuredPair> measured;
  for (const auto& [first, second] : round) {
    measured.push_back({first, second, of_ranks[all.nodes[first].first_rank].item<double>()});
  }
  return measured;
}

std::int64_t unix_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

}  // namespace

wire::Preflight run_preflight(Group& group, c10::Device device, const FabricRequirements& own) {
  const FabricRequirements required = of_rank_0(group, own);
  Nodes all = gather_nodes(group, read_node_fabric(!device.is_cpu()));
  FabricMeasurement measured{.ranks = group.size(),
                             .gigabytes_per_second = bus_gigabytes_per_second(group, device),
                             .nodes = all.nodes,
                             .measured_unix_seconds = unix_seconds()};
  if (measured.gigabytes_per_second < required.floor_gigabytes_per_second) {
    for (const auto& round : ring_pairs(static_cast<int>(all.nodes.size()))) {
      for (const auto& pair : measure_round(group, device, all, round))
        measured.pairs.push_back(pair);
    }
  }
  wire::Preflight result = verdict(measured, required);
  if (group.rank() == 0) {
    std::cout << to_table(measured, result) << wire::kPreflight << to_json(result).dump()
              << std::endl;
  }
  return result;
}

}  // namespace ganscale::comm
