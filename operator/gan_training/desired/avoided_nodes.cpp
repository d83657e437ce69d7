#include "gan_training/desired/avoided_nodes.h"

namespace ganscale::controller::gan_training {
namespace {

/// Adds to a term of a selector that it matches none of these nodes. A value may be only one name.
void exclude(Json& term, const std::vector<std::string>& nodes) {
  for (const std::string& node : nodes) {
    term["matchFields"].push_back(
        {{"key", "metadata.name"}, {"operator", "NotIn"}, {"values", Json::array({node})}});
  }
}

}  // namespace

void avoid_nodes(Json& pod_spec, const AvoidedNodes& nodes) {
  if (!nodes.always.empty()) {
    Json& terms = pod_spec["affinity"]["nodeAffinity"]
                          ["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
    if (!terms.is_array() || terms.empty()) terms = Json::array({Json::object()});
    // One of the terms must match, and all that a term says: so each says it.
    for (Json& term : terms) exclude(term, nodes.always);
  }
  if (!nodes.if_possible.empty()) {
    constexpr int kHighestWeight = 100;
    Json preferred = {{"weight", kHighestWeight}, {"preference", Json::object()}};
    exclude(preferred["preference"], nodes.if_possible);
    pod_spec["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
        .push_back(preferred);
  }
}

}  // namespace ganscale::controller::gan_training
