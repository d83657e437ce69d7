#include "gan_training/decide/record.h"

#include <array>
#include <utility>

namespace ganscale::controller::gan_training {
namespace {

constexpr std::array<std::pair<AttemptState, const char*>, 4> kStates{{
    {AttemptState::kNone, "None"},
    {AttemptState::kWanted, "Wanted"},
    {AttemptState::kLive, "Live"},
    {AttemptState::kEnded, "Ended"},
}};

const char* word_of(AttemptState state) {
  for (const auto& [known, word] : kStates) {
    if (known == state) return word;
  }
  return "";
}

AttemptState state_of(const std::string& word) {
  for (const auto& [state, known] : kStates) {
    if (word == known) return state;
  }
  return AttemptState::kNone;
}

std::string text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

int whole(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<int>() : 0;
}

Json inner(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : Json::object();
}

}  // namespace

Record read_record(const Json& status) {
  Record record;
  if (!status.is_object()) return record;
  if (const std::string word = text(status, "phase"); !word.empty()) record.phase = word;
  record.reason = text(status, "reason");
  record.message = text(status, "message");
  record.restarts = whole(status, "restarts");
  record.failures = whole(status, "failures");
  record.failed_behind = text(status, "failedBehind");
  const Json attempt = inner(status, "attempt");
  record.attempt = whole(attempt, "number");
  record.state = state_of(text(attempt, "state"));
  record.hash = text(attempt, "specHash");
  const Json ending = inner(status, "ending");
  if (const auto since = parse_time(text(ending, "since"))) {
    record.ending = Ending{text(ending, "reason"), *since};
  }
  record.restart_at = parse_time(text(status, "restartAt"));
  const Json progress = inner(status, "progress");
  if (const auto since = parse_time(text(progress, "since"))) {
    record.progress = Progress{progress.value("images", Json()).is_number_integer()
                                   ? progress["images"].get<std::int64_t>()
                                   : 0,
                               *since};
  }
  return record;
}

void write_record(const Record& record, Json& status) {
  status["phase"] = record.phase;
  status["reason"] = record.reason;
  status["message"] = record.message;
  status["restarts"] = record.restarts;
  status.erase("failures");
  status.erase("failedBehind");
  if (record.failures > 0) status["failures"] = record.failures;
  if (!record.failed_behind.empty()) status["failedBehind"] = record.failed_behind;
  status["attempt"] = {
      {"number", record.attempt}, {"state", word_of(record.state)}, {"specHash", record.hash}};
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
}

}  // namespace ganscale::controller::gan_training
