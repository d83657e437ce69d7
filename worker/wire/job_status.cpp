#include "wire/job_status.h"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "wire/integers.h"

namespace ganscale::wire {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<JobState, std::string_view>, 6> kStateNames{{
    {JobState::kStarting, "starting"},
    {JobState::kRunning, "running"},
    {JobState::kPaused, "paused"},
    {JobState::kStopping, "stopping"},
    {JobState::kDone, "done"},
    {JobState::kFailed, "failed"},
}};

constexpr const char* kJobStatus = "job status";

[[noreturn]] void fail(const std::string& field, const char* expected) {
  throw std::invalid_argument(std::string(kJobStatus) + ": " + field + ": expected " + expected);
}

template <class Value>
void write(Json& json, const char* key, const std::optional<Value>& value) {
  if (value) json[key] = *value;
}

void read(const Json& json, const char* key, std::string& value) {
  const auto field = json.find(key);
  if (field == json.end()) return;
  if (!field->is_string()) fail(key, "a string");
  value = field->get<std::string>();
}

template <class Integer>
  requires std::is_integral_v<Integer>
void read(const Json& json, const char* key, Integer& value) {
  read_integer(json, key, kJobStatus, value);
}

// JSON has no NaN or infinity: both become null.
double number(const Json& json, const std::string& key) {
  if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!json.is_number()) fail(key, "a number");
  return json.get<double>();
}

void read(const Json& json, const char* key, std::optional<double>& value) {
  const auto field = json.find(key);
  if (field != json.end()) value = number(*field, key);
}

void read(const Json& json, const char* key, double& value) {
  const auto field = json.find(key);
  if (field != json.end()) value = number(*field, key);
}

constexpr std::array<std::pair<const char*, double Measurement::*>, 7> kMeasuredSeconds{{
    {"seconds", &Measurement::seconds},
    {"data_wait_seconds", &Measurement::data_wait_seconds},
    {"all_reduce_seconds", &Measurement::all_reduce_seconds},
    {"role_wait_seconds", &Measurement::role_wait_seconds},
    {"straggler_ratio", &Measurement::straggler_ratio},
    {"step_seconds_median", &Measurement::step_seconds_median},
    {"step_seconds_p99", &Measurement::step_seconds_p99},
}};

constexpr std::array<std::pair<const char*, std::optional<double> Measurement::*>, 2>
    kMeasuredShares{{
        {"memory_share", &Measurement::memory_share},
        {"gpu_use", &Measurement::gpu_use},
    }};

Json to_json(const Measurement& measured) {
  Json json{{"steps", measured.steps}, {"images", measured.images}};
  for (const auto& [key, member] : kMeasuredSeconds) json[key] = measured.*member;
  for (const auto& [key, member] : kMeasuredShares) write(json, key, measured.*member);
  return json;
}

Measurement read_measurement(const Json& json) {
  if (!json.is_object()) fail("measured", "an object");
  Measurement measured;
  read(json, "steps", measured.steps);
  read(json, "images", measured.images);
  for (const auto& [key, member] : kMeasuredSeconds) read(json, key, measured.*member);
  for (const auto& [key, member] : kMeasuredShares) read(json, key, measured.*member);
  return measured;
}

JobState read_state(const Json& json) {
  std::string word(name(JobState::kStarting));
  read(json, "state", word);
  for (const auto& [state, known] : kStateNames) {
    if (word == known) return state;
  }
  fail("state", ("one of starting, running, paused, stopping, done, failed, not " + word).c_str());
}

}  // namespace

std::string_view name(JobState state) {
  for (const auto& [known, word] : kStateNames) {
    if (known == state) return word;
  }
  return "";
}

Json to_json(const JobStatus& status) {
  Json json{{"state", name(status.state)},
            {"run", status.run},
            {"model", status.model},
            {"scheme", status.scheme},
            {"images_seen", status.images_seen},
            {"total_images", status.total_images},
            {"kimg", status.kimg()},
            {"total_kimg", status.total_kimg()},
            {"world_size", status.world_size},
            {"restarts", status.restarts},
            {"losses", Json::object()}};
  for (const auto& [network, loss] : status.losses) json["losses"][network] = loss;
  write(json, "seconds_per_kimg", status.seconds_per_kimg);
  write(json, "images_per_second", status.images_per_second);
  write(json, "eta_seconds", status.eta_seconds);
  write(json, "fid", status.fid);
  write(json, "augment_p", status.augment_p);
  if (status.last_checkpoint) {
    json["last_checkpoint"] = {
        {"name", status.last_checkpoint->name},
        {"written_unix_seconds", status.last_checkpoint->written_unix_seconds}};
  }
  if (status.measured) json["measured"] = to_json(*status.measured);
  if (status.preflight) json["preflight"] = to_json(*status.preflight);
  if (!status.message.empty()) json["message"] = status.message;
  return json;
}

JobStatus parse_job_status(const Json& json) {
  if (!json.is_object()) fail("body", "an object");
  JobStatus status;
  status.state = read_state(json);
  read(json, "run", status.run);
  read(json, "model", status.model);
  read(json, "scheme", status.scheme);
  read(json, "images_seen", status.images_seen);
  read(json, "total_images", status.total_images);
  read(json, "world_size", status.world_size);
  read(json, "restarts", status.restarts);
  read(json, "seconds_per_kimg", status.seconds_per_kimg);
  read(json, "images_per_second", status.images_per_second);
  read(json, "eta_seconds", status.eta_seconds);
  read(json, "fid", status.fid);
  read(json, "augment_p", status.augment_p);
  read(json, "message", status.message);
  if (const auto losses = json.find("losses"); losses != json.end()) {
    if (!losses->is_object()) fail("losses", "an object");
    for (const auto& [network, loss] : losses->items()) {
      status.losses[network] = number(loss, "losses." + network);
    }
  }
  if (const auto last = json.find("last_checkpoint"); last != json.end()) {
    if (!last->is_object()) fail("last_checkpoint", "an object");
    status.last_checkpoint.emplace();
    read(*last, "name", status.last_checkpoint->name);
    read(*last, "written_unix_seconds", status.last_checkpoint->written_unix_seconds);
  }
  if (const auto measured = json.find("measured"); measured != json.end()) {
    status.measured = read_measurement(*measured);
  }
  if (const auto preflight = json.find("preflight"); preflight != json.end()) {
    if (!preflight->is_object()) fail("preflight", "an object");
    status.preflight = parse_preflight(*preflight);
  }
  return status;
}

}  // namespace ganscale::wire
