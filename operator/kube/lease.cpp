#include "kube/lease.h"

#include <array>
#include <ctime>
#include <thread>

#include "base/log.h"

namespace ganscale::controller {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kNap{50};

/// Waits, in naps, until `stopped`. Returns false then.
bool wait(std::chrono::milliseconds time, const std::function<bool()>& stopped) {
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
    if (stopped()) return false;
    std::this_thread::sleep_for(kNap);
  }
  return !stopped();
}

std::string holder_of(const Json& lease) {
  const Json holder = lease.value(Json::json_pointer("/spec/holderIdentity"), Json());
  return holder.is_string() ? holder.get<std::string>() : "";
}

std::chrono::seconds duration_of(const Json& lease) {
  const Json seconds = lease.value(Json::json_pointer("/spec/leaseDurationSeconds"), Json());
  return std::chrono::seconds(seconds.is_number_integer() ? seconds.get<int>() : 15);
}

}  // namespace

std::string format_micro_time(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count() %
      1000000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 48> text{};
  const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text.data() + length, text.size() - length, ".%06dZ", static_cast<int>(micros));
  return text.data();
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

LeaderElector::LeaderElector(Client& client, Key lease, std::string identity, LeaseTimes times)
    : client_(client),
      key_(std::move(lease)),
      identity_(std::move(identity)),
      times_(times),
      watcher_(identity_) {}

bool LeaderElector::wait_to_lead(const std::function<bool()>& stopped) {
  while (!stopped()) {
    if (try_once()) {
      log::info("Leads", {{"identity", identity_}, {"lease", key_.text()}});
      return true;
    }
    wait(times_.retry, stopped);
  }
  return false;
}

bool LeaderElector::keep_leading(const std::function<bool()>& stopped) {
  auto renewed = Clock::now();
  while (wait(times_.retry, stopped)) {
    if (try_once()) {
      renewed = Clock::now();
    } else if (taken_ || Clock::now() - renewed > times_.deadline) {
      return false;
    }
  }
  release();
  return true;
}

bool LeaderElector::try_once() {
  try {
    const auto lease = client_.get(resource::kLeases, key_);
    const LeaseMove move = watcher_.next_move(lease, Clock::now());
    taken_ = move == LeaseMove::kWait;
    return !taken_ && write(lease, move);
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
  try {
    auto lease = client_.get(resource::kLeases, key_);
    if (!lease || holder_of(*lease) != identity_) return;
    (*lease)["spec"]["holderIdentity"] = "";
    (*lease)["spec"]["leaseDurationSeconds"] = 1;
    client_.update(resource::kLeases, *lease, /*status=*/false);
  } catch (const std::exception& error) {
    log::warning("Can't give the lease free", {{"what", error.what()}});
  }
}

}  // namespace ganscale::controller
