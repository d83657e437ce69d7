#include "controller/leader.h"

#include "base/log.h"
#include "object/time.h"

namespace ganscale::controller {

LeaderElector::LeaderElector(Client& client, Key lease, std::string identity, LeaseTimes times)
    : client_(client),
      key_(std::move(lease)),
      identity_(std::move(identity)),
      times_(times),
      watcher_(identity_) {}

bool LeaderElector::wait_to_lead(const Stopped& stopped) {
  while (!stopped()) {
    if (try_once()) {
      log::info("Became the leader", {{"identity", identity_}, {"lease", key_.text()}});
      return true;
    }
    sleep_unless(stopped, times_.retry);
  }
  return false;
}

bool LeaderElector::keep_leading(const Stopped& stopped) {
  while (sleep_unless(stopped, times_.retry)) {
    if (!try_once() && !leads()) return false;
  }
  release();
  return true;
}

bool LeaderElector::try_once() {
  // Others count from when they see the renewal, which is never before it was asked for.
  const auto asked = Clock::now();
  try {
    const auto lease = client_.get(resource::kLeases, key_);
    const LeaseMove move = watcher_.next_move(lease, Clock::now());
    if (move == LeaseMove::kWait) leads_until_ = Clock::time_point();
    if (move == LeaseMove::kWait || !write(lease, move)) return false;
    leads_until_ = asked + times_.deadline;
    return true;
  } catch (const std::exception& error) {
    log::warning("Can't reach the lease", {{"what", error.what()}});
    return false;
  }
}

bool LeaderElector::write(std::optional<Json> lease, LeaseMove move) {
  const std::string now = format_micro_time(std::chrono::system_clock::now());
  Json object =
      lease.value_or(Json{{"apiVersion", "coordination.k8s.io/v1"},
                          {"kind", "Lease"},
                          {"metadata", {{"name", key_.name}, {"namespace", key_.name_space}}}});
  Json& spec = object["spec"];
  if (move != LeaseMove::kRenew) {
    spec["acquireTime"] = now;
    spec["leaseTransitions"] = (lease ? spec.value("leaseTransitions", 0) : -1) + 1;
  }
  spec["holderIdentity"] = identity_;
  spec["renewTime"] = now;
  spec["leaseDurationSeconds"] = std::chrono::ceil<std::chrono::seconds>(times_.duration).count();
  try {
    if (lease) {
      client_.update(resource::kLeases, object, /*status=*/false);
    } else {
      client_.create(resource::kLeases, object);
    }
    return true;
  } catch (const ApiError& error) {
    if (error.code() == 409) return false;  // another was faster
    throw;
  }
}

void LeaderElector::release() {
  leads_until_ = Clock::time_point();
  try {
    auto lease = client_.get(resource::kLeases, key_);
    if (!lease || holder_of(*lease) != identity_) return;
    (*lease)["spec"]["holderIdentity"] = "";
    (*lease)["spec"]["leaseDurationSeconds"] = 1;
    client_.update(resource::kLeases, *lease, /*status=*/false);
  } catch (const std::exception& error) {
    log::warning("Can't release the lease", {{"what", error.what()}});
  }
}

}  // namespace ganscale::controller
