#include "gan_training/decide/record.h"

#include <charconv>
#include <string_view>

#include "base/enum_names.h"
#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr EnumNames<AttemptState, 4> kStates{{
    {AttemptState::kNone, "None"},
    {AttemptState::kWanted, "Wanted"},
    {AttemptState::kLive, "Live"},
    {AttemptState::kEnded, "Ended"},
}};

constexpr const char* kForDevice = "Device";
constexpr const char* kForFabric = "Fabric";

/// Returns the thousands of images in the name of a checkpoint; 0 for none.
double kimg_of(const std::string& checkpoint) {
  constexpr std::string_view kPrefix = "kimg-";
  double kimg = 0;
  if (checkpoint.starts_with(kPrefix)) {
    std::from_chars(checkpoint.data() + kPrefix.size(), checkpoint.data() + checkpoint.size(),
                    kimg);
  }
  return kimg;
}

std::vector<AvoidedNode> read_avoided(const Json& status) {
  std::vector<AvoidedNode> nodes;
  for (const Json& item : list_at(status, "/avoidedNodes")) {
    const std::string name = text_at(item, "/name");
    const auto until = parse_time(text_at(item, "/until"));
    if (!name.empty() && until) {
      nodes.push_back({name, *until, text_at(item, "/reason") == kForFabric});
    }
  }
  return nodes;
}

void write_avoided(const std::vector<AvoidedNode>& nodes, Json& status) {
  status.erase("avoidedNodes");
  for (const AvoidedNode& node : nodes) {
    status["avoidedNodes"].push_back({{"name", node.name},
                                      {"until", format_time(node.until)},
                                      {"reason", node.for_fabric ? kForFabric : kForDevice}});
  }
}

std::optional<wire::Preflight> read_preflight(const Json& status) {
  const auto time = parse_time(text_at(status, "/preflight/time"));
  if (!time) return std::nullopt;
  const Json& told = status["preflight"];
  wire::Preflight preflight{
      .gigabytes_per_second = number_at(told, "/gigabytesPerSecond").value_or(0),
      .floor_gigabytes_per_second = number_at(told, "/floorGigabytesPerSecond").value_or(0),
      .ranks = static_cast<int>(whole_at(told, "/ranks")),
      .nodes = static_cast<int>(whole_at(told, "/nodes")),
      .hcas = static_cast<int>(whole_at(told, "/hcas")),
      .gpu_direct = text_at(told, "/gpuDirect"),
      .measured_unix_seconds = time->time_since_epoch().count(),
      .message = text_at(told, "/message")};
  for (const Json& node : list_at(told, "/faultyWorkers")) {
    preflight.faulty_nodes.push_back({.host = text_at(node, "/host"),
                                      .first_rank = static_cast<int>(whole_at(node, "/firstRank")),
                                      .reason = text_at(node, "/reason")});
  }
  return preflight;
}

void write_preflight(const Record& record, Json& status) {
  status.erase("fabricAccepted");
  if (record.fabric_accepted) status["fabricAccepted"] = true;
  status.erase("fabricExpires");
  if (record.fabric_expires) status["fabricExpires"] = true;
  status.erase("preflight");
  if (!record.preflight) return;
  const wire::Preflight& found = *record.preflight;
  Json& told = status["preflight"];
  told = {{"passed", found.passed()},
          {"gigabytesPerSecond", found.gigabytes_per_second},
          {"floorGigabytesPerSecond", found.floor_gigabytes_per_second},
          {"ranks", found.ranks},
          {"nodes", found.nodes},
          {"hcas", found.hcas},
          {"time", format_time(Time(std::chrono::seconds(found.measured_unix_seconds)))}};
  if (!found.gpu_direct.empty()) told["gpuDirect"] = found.gpu_direct;
  if (!found.message.empty()) told["message"] = found.message;
  for (const auto& node : found.faulty_nodes) {
    told["faultyWorkers"].push_back(
        {{"host", node.host}, {"firstRank", node.first_rank}, {"reason", node.reason}});
  }
}

}  // namespace

std::vector<std::string> avoided_names(const Record& record, bool last_resort) {
  std::vector<std::string> names;
  for (const AvoidedNode& node : record.avoided) {
    if (is_last_resort(record, node) == last_resort) names.push_back(node.name);
  }
  return names;
}

bool has_come_further(const Record& record, const std::string& checkpoint) {
  return kimg_of(checkpoint) > kimg_of(record.failed_behind);
}

Record read_record(const Json& status) {
  Record record;
  if (!status.is_object()) return record;
  read_phase(status, record);
  record.restarts = static_cast<int>(whole_at(status, "/restarts"));
  record.failures = static_cast<int>(whole_at(status, "/failures"));
  record.failed_behind = text_at(status, "/failedBehind");
  record.attempt = static_cast<int>(whole_at(status, "/attempt/number"));
  record.state = value_in(kStates, text_at(status, "/attempt/state")).value_or(AttemptState::kNone);
  record.request = text_at(status, "/attempt/request");
  record.hash = text_at(status, "/attempt/specHash");
  record.storage = text_at(status, "/attempt/storage");
  if (const auto since = parse_time(text_at(status, "/ending/since"))) {
    record.ending = Ending{text_at(status, "/ending/reason"), *since};
  }
  record.restart_at = parse_time(text_at(status, "/restartAt"));
  if (const auto since = parse_time(text_at(status, "/progress/since"))) {
    record.progress = Progress{whole_at(status, "/progress/images"), *since};
  }
  record.avoided = read_avoided(status);
  record.preflight = read_preflight(status);
  record.fabric_accepted = status.value("fabricAccepted", Json()) == true;
  record.fabric_expires = status.value("fabricExpires", Json()) == true;
  return record;
}

void write_record(const Record& record, Json& status) {
  write_phase(record, status);
  status["restarts"] = record.restarts;
  status.erase("failures");
  status.erase("failedBehind");
  if (record.failures > 0) status["failures"] = record.failures;
  if (!record.failed_behind.empty()) status["failedBehind"] = record.failed_behind;
  status["attempt"] = {{"number", record.attempt},
                       {"state", name_in(kStates, record.state)},
                       {"request", record.request},
                       {"specHash", record.hash},
                       {"storage", record.storage}};
  status.erase("ending");
  if (record.ending) {
    status["ending"] = {{"reason", record.ending->reason},
                        {"since", format_time(record.ending->since)}};
  }
  status.erase("restartAt");
  if (record.restart_at) status["restartAt"] = format_time(*record.restart_at);
  status.erase("progress");
  if (record.progress) {
    status["progress"] = {{"images", record.progress->images},
                          {"since", format_time(record.progress->since)}};
  }
  write_avoided(record.avoided, status);
  write_preflight(record, status);
}

}  // namespace ganscale::controller::gan_training
