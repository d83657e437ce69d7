#include "training/loop/step_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/enum_names.h"
#include "base/log.h"
#include "comm/collectives/gather_text.h"
#include "comm/collectives/numbers.h"
#include "files/atomic_file.h"
#include "profile/chrome_trace.h"
#include "profile/time_shares.h"

namespace ganscale::training {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t earliest(comm::Group& group, std::int64_t time) {
  std::int64_t negative = -time;
  comm::all_reduce_max(group, {&negative});
  return -negative;
}

/// Returns the elements of all ranks' arrays, in the ranks' order.
Json gather(comm::Group& group, const Json& own) {
  Json elements = Json::array();
  for (const std::string& of_rank : comm::gather_text(group, own.dump())) {
    for (Json& element : Json::parse(of_rank)) elements.push_back(std::move(element));
  }
  return elements;
}

Json seconds_of(const profile::Recording& recording) {
  const auto seconds = profile::seconds_by_kind(recording);
  Json by_kind = Json::object();
  for (std::size_t kind = 0; kind < seconds.size(); ++kind) {
    if (seconds[kind] > 0) by_kind[profile::kKindNames[kind]] = seconds[kind];
  }
  return by_kind;
}

/// "convolution 51.2%, layout 20.1%": largest first.
std::string describe(const Json& seconds) {
  std::vector<std::pair<double, std::string>> kinds;
  double total = 0;
  for (const auto& [kind, value] : seconds.items()) {
    kinds.emplace_back(value.get<double>(), kind);
    total += value.get<double>();
  }
  std::ranges::sort(kinds, std::greater());
  std::string text;
  for (const auto& [value, kind] : kinds) {
    text += fmt::format("{}{} {:.1f}%", text.empty() ? "" : ", ", kind, 100 * value / total);
  }
  return text;
}

}  // namespace

void StepProfile::begin() {
  if (config_.steps > 0 && config_.warmup_steps == 0) profiler_.start();
}

void StepProfile::step(const StepResult& result) {
  if (config_.steps == 0 || is_over()) return;
  if (result.role) network_ = name_in(wire::kRoleNames, result.role->network);
  count_ += 1;
  if (count_ == config_.warmup_steps) profiler_.start();
  if (is_over()) recording_ = profiler_.stop();
}

void StepProfile::write_if_over(comm::Group& group, const RunFolder& folder) {
  if (config_.steps == 0 || is_written_) return;
  bool waits = !is_over();
  comm::all_reduce_max(group, {&waits});
  if (waits) return;
  is_written_ = true;
  const std::string name =
      "rank " + std::to_string(group.rank()) + (network_.empty() ? "" : ", " + network_);
  const Json line = {{"name", name}, {"steps", config_.steps}, {"seconds", seconds_of(recording_)}};
  const Json events =
      profile::trace_events({group.rank(), name, earliest(group, recording_.begin_ns)}, recording_);
  const Json lines = gather(group, Json::array({line}));
  const Json trace = {{"displayTimeUnit", "ms"}, {"traceEvents", gather(group, events)}};
  if (group.rank() != 0) return;
  for (const Json& rank : lines) {
    log::info("Profile of " + rank["name"].get<std::string>() + ": " + describe(rank["seconds"]));
  }
  try {
    files::write_file_atomically(folder.profile(), Json{{"ranks", lines}}.dump(2) + "\n");
    files::write_file_atomically(folder.trace(), trace.dump());
  } catch (const files::OutputError& error) {
    log::warning("Cannot write the profile", {{"reason", error.what()}});
  }
}

}  // namespace ganscale::training
