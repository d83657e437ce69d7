#include "gan_training/plan/plan.h"

#include <algorithm>

#include "base/error.h"
#include "object/lookup.h"
#include "wire/names.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr const char* kTokenFile = "/etc/ganscale/control/token";

int port(const Json& config, const char* key, int fallback) {
  const auto telemetry = config.find("telemetry");
  if (telemetry == config.end() || !telemetry->is_object()) return fallback;
  const auto value = telemetry->find(key);
  if (value == telemetry->end() || !value->is_number_integer()) return fallback;
  return static_cast<int>(std::clamp<std::int64_t>(value->get<std::int64_t>(), 0, 65535));
}

void set_default(Json& section, const char* key, const Json& value) {
  if (!section.contains(key)) section[key] = value;
}

/// 0, the worker's default, is any free port, which neither the operator nor Prometheus would find.
void set_port(Json& telemetry, const char* key, int fallback) {
  if (!telemetry.contains(key) || telemetry[key] == 0) telemetry[key] = fallback;
}

}  // namespace

Json& section_of(Json& config, const char* name) {
  Json& section = config[name];
  if (section.is_null()) section = Json::object();
  if (!section.is_object()) {
    throw ConfigError(std::string("spec.config.") + name + ": expected a map");
  }
  return section;
}

Labels labels_of(const Key& key) { return owned_labels(key, kTrainingLabel); }

bool is_queued(const Json& job) {
  return job["metadata"].value("labels", Json::object()).contains(kQueueLabel);
}

Json metadata_of(const Plan& plan, const std::string& name) {
  return owned_metadata({kApiVersion, kKind, plan.key, plan.uid}, kTrainingLabel, name);
}

Json worker_config(const TrainingSpec& spec, const Json& config) {
  Json result = config;
  if (!spec.data.claim_name.empty())
    set_default(section_of(result, "data"), "path", spec.data.path);
  if (!spec.evaluation.empty()) section_of(result, "evaluate").merge_patch(spec.evaluation);
  if (!spec.feature_net.volume.claim_name.empty()) {
    section_of(result, "evaluate")["feature_net"] = spec.feature_net.path();
  }
  Json& telemetry = section_of(result, "telemetry");
  set_port(telemetry, "metrics_port", wire::kDefaultMetricsPort);
  set_port(telemetry, "control_port", wire::kDefaultControlPort);
  // On loopback, nothing outside the pod would reach the ports.
  telemetry["bind_address"] = "0.0.0.0";
  // Without the token the control port would listen only on the pod's loopback.
  telemetry["token_file"] = kTokenFile;
  return result;
}

std::string run_folder(const Plan& plan) { return plan.spec.storage.path + "/" + plan.key.name; }

std::string storage_of(const Plan& plan) {
  const Volume& storage = plan.spec.storage;
  return storage.claim_name + (storage.sub_path.empty() ? "" : "/" + storage.sub_path);
}

std::string config_map_name(const Key& key) { return key.name + "-settings"; }
std::string secret_name(const Key& key) { return key.name + "-control"; }
std::string attempt_name(const Key& key, int attempt) {
  return key.name + "-r" + std::to_string(attempt);
}

std::string purge_job_name(const Key& key) { return key.name + "-purge"; }

int control_port(const Json& config) {
  return port(config, "control_port", wire::kDefaultControlPort);
}
std::string configured_model(const Json& config) {
  const bool has_preset = text_at(config, "/model/preset", "none") != "none";
  return text_at(config, "/model/name", has_preset ? "" : "dcgan");
}
wire::Sharing sharing_of(const Json& config) {
  return wire::sharing_of(text_at(config, "/scheme/name"));
}
int devices_per_process(const Json& config) {
  const Json::json_pointer path("/training/devices_per_process");
  return config.contains(path) && config.at(path) == 2 ? 2 : 1;
}
int metrics_port(const Json& config) {
  return port(config, "metrics_port", wire::kDefaultMetricsPort);
}

}  // namespace ganscale::controller::gan_training
