#include "gan_training/decide/avoided.h"

#include <algorithm>

#include "base/joined.h"

namespace ganscale::controller::gan_training {

bool has_nodes_to_avoid(const Situation& s) {
  return s.attempt && !s.attempt->failed_nodes.empty() && s.restart.avoid_node_seconds > 0;
}

void avoid_failed_nodes(const Situation& s, Decision& d, bool for_fabric) {
  if (!has_nodes_to_avoid(s)) return;
  const Time until = s.now + std::chrono::seconds(s.restart.avoid_node_seconds);
  auto& avoided = d.record.avoided;
  for (const std::string& node : s.attempt->failed_nodes) {
    std::erase_if(avoided, [&](const AvoidedNode& known) { return known.name == node; });
    avoided.push_back({node, until, for_fabric});
    if (avoided.size() > kMostAvoided) avoided.erase(avoided.begin());
  }
}

std::string words_of_avoided(const Situation& s) {
  if (!has_nodes_to_avoid(s)) return "";
  const auto& nodes = s.attempt->failed_nodes;
  return std::string("; avoids its node") + (nodes.size() > 1 ? "s" : "") + " for " +
         std::to_string(s.restart.avoid_node_seconds) + " s: " + joined(nodes);
}

void shorten_avoidance(const Situation& s, Decision& d) {
  const Time latest = s.now + std::chrono::seconds(s.restart.avoid_node_seconds);
  for (AvoidedNode& node : d.record.avoided) node.until = std::min(node.until, latest);
}

}  // namespace ganscale::controller::gan_training
