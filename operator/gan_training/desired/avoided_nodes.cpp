#include "gan_training/desired/avoided_nodes.h"

namespace ganscale::controller::gan_training {

void avoid_nodes(Json& pod_spec, const std::vector<std::string>& nodes) {
  if (nodes.empty()) return;
  Json& terms = pod_spec["affinity"]["nodeAffinity"]
                        ["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
  if (!terms.is_array() || terms.empty()) terms = Json::array({Json::object()});
  // One of the terms must match, and all that a term says: so each says it.
  for (Json& term : terms) {
    for (const std::string& node : nodes) {
      term["matchFields"].push_back(
          {{"key", "metadata.name"}, {"operator", "NotIn"}, {"values", Json::array({node})}});
    }
  }
}

}  // namespace ganscale::controller::gan_training
