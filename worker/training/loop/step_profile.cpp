#include "training/loop/step_profile.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/enum_names.h"
#include "base/log.h"
#include "files/atomic_file.h"
#include "profile/chrome_trace.h"
#include "profile/time_shares.h"

namespace ganscale::training {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t earliest(comm::Group& group, std::int64_t time) {
  const auto negative = at::tensor(-time);
  group.all_reduce_max(negative);
  return -negative.item<std::int64_t>();
}

/// Returns the elements of all ranks' arrays, in the ranks' order.
Json gather(comm::Group& group, const Json& own) {
  const std::string text = own.dump();
  const auto sizes = group.all_gather(at::tensor(static_cast<std::int64_t>(text.size())));
  const auto padded = at::zeros({sizes.max().item<std::int64_t>()}, at::kByte);
  std::memcpy(padded.mutable_data_ptr(), text.data(), text.size());
  const auto all = group.all_gather(padded);
  Json elements = Json::array();
  for (std::int64_t rank = 0; rank < group.size(); ++rank) {
    const auto* bytes = static_cast<const char*>(all[rank].const_data_ptr());
    for (Json& element : Json::parse(bytes, bytes + sizes[rank].item<std::int64_t>())) {
      elements.push_back(std::move(element));
    }
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
    std::array<char, 64> part{};
    std::snprintf(part.data(), part.size(), "%s %.1f%%", kind.c_str(), 100 * value / total);
    text += (text.empty() ? "" : ", ") + std::string(part.data());
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
  const auto waits = at::tensor(std::int64_t{!is_over()});
  group.all_reduce_max(waits);
  if (waits.item<std::int64_t>() != 0) return;
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
