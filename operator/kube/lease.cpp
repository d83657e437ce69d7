#include "kube/lease.h"

namespace ganscale::controller {
namespace {

std::chrono::seconds duration_of(const Json& lease) {
  const Json seconds = lease.value(Json::json_pointer("/spec/leaseDurationSeconds"), Json());
  return std::chrono::seconds(seconds.is_number_integer() ? seconds.get<int>() : 15);
}

}  // namespace

std::string holder_of(const Json& lease) {
  const Json holder = lease.value(Json::json_pointer("/spec/holderIdentity"), Json());
  return holder.is_string() ? holder.get<std::string>() : "";
}

LeaseMove LeaseWatcher::next_move(const std::optional<Json>& lease, Moment now) {
  if (!lease) return LeaseMove::kCreate;
  const std::string version = (*lease)["metadata"].value("resourceVersion", "");
  if (version != seen_) {
    seen_ = version;
    changed_ = now;
  }
  const std::string holder = holder_of(*lease);
  if (holder == identity_) return LeaseMove::kRenew;
  if (holder.empty()) return LeaseMove::kTake;
  return now - changed_ > duration_of(*lease) ? LeaseMove::kTake : LeaseMove::kWait;
}

}  // namespace ganscale::controller
