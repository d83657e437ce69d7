#include "gan_training/decide/fabric.h"

#include <fmt/format.h>

#include <algorithm>

#include "gan_training/decide/avoided.h"
#include "gan_training/decide/restart.h"

namespace ganscale::controller::gan_training {
namespace {

std::string bandwidth_of(const wire::Preflight& found) {
  return fmt::format("{:.3g} GB/s, floor {:.4g}", found.gigabytes_per_second,
                     found.floor_gigabytes_per_second);
}

}  // namespace

void note_preflight(const Situation& s, Decision& d) {
  const auto& found = s.attempt->preflight;
  const auto& known = d.record.preflight;
  if (!found || (known && known->measured_unix_seconds == found->measured_unix_seconds)) return;
  d.record.preflight = found;
  if (found->passed()) {
    add_event(d, false, "PreflightPassed", bandwidth_of(*found));
  } else if (d.record.fabric_accepted) {
    add_event(d, true, kFabricBelowFloor, "trains nevertheless: " + found->message);
  }
}

std::string accept_fabric(const Situation& s, Decision& d) {
  const auto avoided = std::ranges::count_if(d.record.avoided, &AvoidedNode::for_fabric);
  // Not the plan's nodes: there is no plan while an edit is refused.
  const auto most = std::min<std::ptrdiff_t>(s.attempt->nodes, kMostAvoided);
  const bool names_none = !has_nodes_to_avoid(s);
  if (!names_none && avoided < most) return "";
  d.record.fabric_accepted = true;
  return names_none ? "; the next attempt trains nevertheless: other nodes would not help"
                    : "; the next attempt trains even below the floor: this one avoids as many "
                      "nodes as the training has";
}

}  // namespace ganscale::controller::gan_training
