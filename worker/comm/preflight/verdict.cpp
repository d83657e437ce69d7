#include "comm/preflight/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/joined.h"

namespace ganscale::comm {
namespace {

constexpr std::size_t kMostNamed = 4;  // the operator reads them in the last 2048 bytes of a log

bool is_below_floor(const FabricMeasurement& measured, const FabricRequirements& required) {
  return measured.ranks > 1 && measured.gigabytes_per_second < required.floor_gigabytes_per_second;
}

/// Returns a bandwidth with as many digits as can be relied on.
double rounded(double gigabytes_per_second) {
  return std::stod(fmt::format("{:.4g}", gigabytes_per_second));
}

/// Returns "16 ranks on 2 nodes".
std::string size_of(const FabricMeasurement& measured) {
  return counted(static_cast<std::size_t>(measured.ranks), "rank") + " on " +
         counted(measured.nodes.size(), "node");
}

std::string why_few_hcas(const NodeFabric& node, const FabricRequirements& required) {
  if (node.active_hcas >= required.hcas) return "";
  const std::string down = node.down_hcas.empty() ? "" : ", without one: " + joined(node.down_hcas);
  return fmt::format("{} of {} HCAs with an active port{}", node.active_hcas, required.hcas, down);
}

std::string why_slow(const FabricMeasurement& measured, int node,
                     const FabricRequirements& required) {
  if (!is_below_floor(measured, required)) return "";
  if (measured.nodes.size() == 1) return "the GPUs of the node are slow among themselves";
  const double best = best_pair(measured, node);
  if (best >= required.floor_gigabytes_per_second) return "";
  return fmt::format("{:.3g} GB/s at best with a neighbor", best);
}

std::vector<wire::FaultyNode> faulty_nodes(const FabricMeasurement& measured,
                                           const FabricRequirements& required) {
  std::vector<wire::FaultyNode> faulty;
  for (std::size_t i = 0; i < measured.nodes.size(); ++i) {
    const NodeFabric& node = measured.nodes[i];
    std::string reason = why_few_hcas(node, required);
    if (reason.empty()) reason = why_slow(measured, static_cast<int>(i), required);
    if (!reason.empty()) faulty.push_back({node.host, node.first_rank, reason});
  }
  return faulty;
}

/// Whether no node has the HCAs that are required.
bool all_lack_hcas(const FabricMeasurement& measured, const FabricRequirements& required) {
  return std::ranges::all_of(
      measured.nodes, [&](const NodeFabric& node) { return node.active_hcas < required.hcas; });
}

/// Returns what to look at: on the faulty nodes or, if none stands out, on or between all.
std::string advice(const std::vector<wire::FaultyNode>& faulty, bool is_short_of_hcas) {
  if (faulty.empty() && is_short_of_hcas) {
    return "no node has as many HCAs as required: look at the links of all (ibstat), their cables "
           "and switch ports, or require fewer";
  }
  if (faulty.empty()) {
    return "no single node is the cause: look at the switches between the nodes and at "
           "NCCL_SOCKET_IFNAME and NCCL_IB_HCA (NCCL_DEBUG=INFO), or lower the floor";
  }
  std::vector<std::string> names;
  for (const auto& node : faulty) names.push_back(node.host + " (" + node.reason + ")");
  return "faulty: " + joined(names) +
         "; look at its links (ibstat, ethtool), its cables and switch port, and whether NCCL uses "
         "them (NCCL_DEBUG=INFO)";
}

std::string complaint(const FabricMeasurement& measured, const wire::Preflight& result,
                      const FabricRequirements& required) {
  const std::string what =
      is_below_floor(measured, required)
          ? fmt::format("the all-reduce of {} reaches {:.3g} GB/s, below the floor of {:.4g} GB/s",
                        size_of(measured), measured.gigabytes_per_second,
                        required.floor_gigabytes_per_second)
          : fmt::format("nodes lack HCAs with an active port: {} of {} on one of them", result.hcas,
                        required.hcas);
  return what + "; " + advice(result.faulty_nodes, all_lack_hcas(measured, required));
}

/// Returns the slowest of the ways in which the nodes' cards read GPU memory.
std::string gpu_direct_of(const std::vector<NodeFabric>& nodes) {
  for (const NodeFabric& node : nodes) {
    if (node.gpu_direct == "none") return "none";
  }
  return nodes.empty() ? "" : nodes.front().gpu_direct;
}

}  // namespace

std::vector<std::vector<std::pair<int, int>>> ring_pairs(int node_count) {
  if (node_count < 2) return {};
  if (node_count == 2) return {{{0, 1}}};
  std::vector<std::vector<std::pair<int, int>>> rounds(node_count % 2 == 0 ? 2 : 3);
  for (int node = 0; node < node_count; ++node) {
    const bool closes_odd_ring = node_count % 2 == 1 && node == node_count - 1;
    rounds[closes_odd_ring ? 2 : node % 2].emplace_back(node, (node + 1) % node_count);
  }
  return rounds;
}

double best_pair(const FabricMeasurement& measured, int node) {
  double best = 0;
  for (const MeasuredPair& pair : measured.pairs) {
    if (pair.first == node || pair.second == node) best = std::max(best, pair.gigabytes_per_second);
  }
  return best;
}

wire::Preflight verdict(const FabricMeasurement& measured, const FabricRequirements& required) {
  wire::Preflight result{.gigabytes_per_second = rounded(measured.gigabytes_per_second),
                         .floor_gigabytes_per_second = required.floor_gigabytes_per_second,
                         .ranks = measured.ranks,
                         .nodes = static_cast<int>(measured.nodes.size()),
                         .gpu_direct = gpu_direct_of(measured.nodes),
                         .measured_unix_seconds = measured.measured_unix_seconds,
                         .faulty_nodes = faulty_nodes(measured, required)};
  const auto fewest = std::ranges::min_element(measured.nodes, {}, &NodeFabric::active_hcas);
  if (fewest != measured.nodes.end()) result.hcas = fewest->active_hcas;
  const bool fails = is_below_floor(measured, required) || !result.faulty_nodes.empty();
  if (result.nodes > 2 && std::ssize(result.faulty_nodes) == result.nodes) {
    result.faulty_nodes.clear();
  }
  result.faulty_nodes.resize(std::min(result.faulty_nodes.size(), kMostNamed));
  if (fails) result.message = complaint(measured, result, required);
  return result;
}

std::string to_table(const FabricMeasurement& measured, const wire::Preflight& result) {
  std::string table = "No bandwidth was measured: there is one rank\n";
  if (measured.ranks > 1) {
    table = fmt::format("All-reduce of {}: {:.3g} GB/s (bus bandwidth), floor {:.4g} GB/s\n",
                        size_of(measured), result.gigabytes_per_second,
                        result.floor_gigabytes_per_second);
  }
  table += fmt::format("{:<40} {:>5} {:>5} {:>10} {:>22}\n", "node", "ranks", "HCAs", "GPUDirect",
                       "GB/s with a neighbor");
  for (std::size_t i = 0; i < measured.nodes.size(); ++i) {
    const NodeFabric& node = measured.nodes[i];
    const double best = best_pair(measured, static_cast<int>(i));
    table += fmt::format("{:<40} {:>5} {:>5} {:>10} {:>22}\n", node.host, node.ranks,
                         node.active_hcas, node.gpu_direct.empty() ? "-" : node.gpu_direct,
                         best > 0 ? fmt::format("{:.3g}", best) : "-");
  }
  return table;
}

}  // namespace ganscale::comm
