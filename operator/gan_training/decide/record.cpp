#include "gan_training/decide/record.h"

#include "object/lookup.h"
#include "object/names.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr Names<AttemptState, 4> kStates{{{
    {AttemptState::kNone, "None"},
    {AttemptState::kWanted, "Wanted"},
    {AttemptState::kLive, "Live"},
    {AttemptState::kEnded, "Ended"},
}}};

std::vector<AvoidedNode> read_avoided(const Json& status) {
  std::vector<AvoidedNode> nodes;
  for (const Json& item : list_at(status, "/avoidedNodes")) {
    const std::string name = text_at(item, "/name");
    const auto until = parse_time(text_at(item, "/until"));
    if (!name.empty() && until) nodes.push_back({name, *until});
  }
  return nodes;
}

void write_avoided(const std::vector<AvoidedNode>& nodes, Json& status) {
  status.erase("avoidedNodes");
  for (const AvoidedNode& node : nodes) {
    status["avoidedNodes"].push_back({{"name", node.name}, {"until", format_time(node.until)}});
  }
}

}  // namespace

std::vector<std::string> avoided_names(const Record& record) {
  std::vector<std::string> names;
  for (const AvoidedNode& node : record.avoided) names.push_back(node.name);
  return names;
}

Record read_record(const Json& status) {
  Record record;
  if (!status.is_object()) return record;
  read_phase(status, record);
  record.restarts = static_cast<int>(whole_at(status, "/restarts"));
  record.failures = static_cast<int>(whole_at(status, "/failures"));
  record.failed_behind = text_at(status, "/failedBehind");
  record.attempt = static_cast<int>(whole_at(status, "/attempt/number"));
  record.state = kStates.value(text_at(status, "/attempt/state")).value_or(AttemptState::kNone);
  record.request = text_at(status, "/attempt/request");
  record.hash = text_at(status, "/attempt/specHash");
  if (const auto since = parse_time(text_at(status, "/ending/since"))) {
    record.ending = Ending{text_at(status, "/ending/reason"), *since};
  }
  record.restart_at = parse_time(text_at(status, "/restartAt"));
  if (const auto since = parse_time(text_at(status, "/progress/since"))) {
    record.progress = Progress{whole_at(status, "/progress/images"), *since};
  }
  record.avoided = read_avoided(status);
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
                       {"state", kStates.of(record.state)},
                       {"request", record.request},
                       {"specHash", record.hash}};
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
}

}  // namespace ganscale::controller::gan_training
