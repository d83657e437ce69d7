#include "scaling_sweep/decide/record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "object/lookup.h"

namespace ganscale::controller::scaling_sweep {
namespace {

constexpr std::array<std::pair<const char*, double Measured::*>, 7> kNumbers{{
    {"imagesPerSecond", &Measured::images_per_second},
    {"seconds", &Measured::seconds},
    {"dataWaitSeconds", &Measured::data_wait_seconds},
    {"allReduceSeconds", &Measured::all_reduce_seconds},
    {"stragglerRatio", &Measured::straggler_ratio},
    {"stepSecondsMedian", &Measured::step_seconds_median},
    {"stepSecondsP99", &Measured::step_seconds_p99},
}};

constexpr std::array<std::pair<const char*, std::optional<double> Measured::*>, 2> kShares{{
    {"memoryShare", &Measured::memory_share},
    {"gpuUse", &Measured::gpu_use},
}};

std::optional<double> number(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::int64_t whole(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::vector<std::string> words(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& item : list) {
    if (item.is_string()) texts.push_back(item);
  }
  return texts;
}

Result read_result(const Json& json) {
  Result result;
  result.run = text_at(json, "/run");
  result.hash = text_at(json, "/specHash");
  if (json.is_object() && json.contains("measured")) {
    result.measured = read_measured(json["measured"]);
  }
  result.message = text_at(json, "/message");
  result.nodes = words(list_at(json, "/nodes"));
  result.image_id = text_at(json, "/imageID");
  result.restarts = json.is_object() ? static_cast<int>(whole(json, "restarts")) : 0;
  return result;
}

Json to_json(const Result& result) {
  Json json = {{"run", result.run}, {"specHash", result.hash}, {"restarts", result.restarts}};
  if (result.measured) json["measured"] = to_json(*result.measured);
  if (!result.message.empty()) json["message"] = result.message;
  if (!result.nodes.empty()) json["nodes"] = result.nodes;
  if (!result.image_id.empty()) json["imageID"] = result.image_id;
  return json;
}

}  // namespace

std::optional<Measured> read_measured(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto rate = number(json, "imagesPerSecond");
  if (!rate || !(*rate > 0) || !std::isfinite(*rate)) return std::nullopt;
  Measured measured;
  for (const auto& [key, member] : kNumbers) {
    measured.*member = number(json, key).value_or(measured.*member);
  }
  measured.steps = whole(json, "steps");
  for (const auto& [key, member] : kShares) measured.*member = number(json, key);
  return measured;
}

Json to_json(const Measured& measured) {
  Json json = {{"steps", measured.steps}};
  for (const auto& [key, member] : kNumbers) json[key] = measured.*member;
  for (const auto& [key, member] : kShares) {
    if (measured.*member) json[key] = *(measured.*member);
  }
  return json;
}

const Result* find_result(const Record& record, const std::string& run, const std::string& hash) {
  const auto found = std::ranges::find_if(record.results, [&](const Result& result) {
    return result.run == run && result.hash == hash;
  });
  return found == record.results.end() ? nullptr : &*found;
}

Record read_record(const Json& status) {
  Record record;
  if (!status.is_object()) return record;
  record.phase = text_at(status, "/phase", record.phase);
  record.reason = text_at(status, "/reason");
  record.message = text_at(status, "/message");
  record.current = text_at(status, "/current");
  for (const Json& item : list_at(status, "/runs")) record.results.push_back(read_result(item));
  return record;
}

void write_results(const std::vector<Result>& results, Json& status) {
  status["runs"] = Json::array();
  for (const Result& result : results) status["runs"].push_back(to_json(result));
}

void write_record(const Record& record, Json& status) {
  status["phase"] = record.phase;
  status["reason"] = record.reason;
  status["message"] = record.message;
  status["current"] = record.current;
  write_results(record.results, status);
}

}  // namespace ganscale::controller::scaling_sweep
