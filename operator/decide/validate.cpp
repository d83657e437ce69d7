#include "decide/validate.h"

#include "api/yaml.h"
#include "base/error.h"

namespace ganscale::controller {
namespace {

/// What is wrong, for the condition Validated.
struct Refusal {
  std::string reason;
  std::string problem;
};

NodeProfile profile_of(const TrainingSpec& spec, const NodeProfiles& profiles) {
  NodeProfile profile;
  if (spec.node) {
    profile = *spec.node;
  } else {
    const auto found = profiles.find(spec.node_profile);
    if (found == profiles.end()) {
      std::string known;
      for (const auto& [name, ignored] : profiles) known += (known.empty() ? "" : ", ") + name;
      throw Refusal{"UnknownProfile",
                    "spec.nodeProfile: unknown: " + spec.node_profile + " (known: " + known + ")"};
    }
    profile = found->second;
  }
  if (spec.gpus_per_node > 0) {
    profile.gpus = spec.gpus_per_node;
    profile.ranks = spec.gpus_per_node;
    for (std::string& argument : profile.mpirun) {
      if (argument.starts_with("ppr:")) argument = "ppr:" + std::to_string(profile.ranks) + ":node";
    }
  }
  return profile;
}

Json config_of(const TrainingSpec& spec, const std::string& config_from) {
  if (spec.config_map.empty()) return spec.config;
  const auto documents = read_yaml(config_from, "configFrom." + spec.config_key);
  if (documents.size() != 1 || !documents[0].is_object()) {
    throw Refusal{"BadConfig", "spec.configFrom: expected one YAML map in the key " +
                                   spec.config_key + " of the ConfigMap " + spec.config_map};
  }
  return documents[0];
}

void check_batch(const Plan& plan) {
  const Json batch = plan.config.value(Json::json_pointer("/training/batch"), Json());
  if (!batch.is_number_integer() || batch.get<std::int64_t>() % plan.ranks() == 0) return;
  throw Refusal{"BadConfig",
                "spec.config.training.batch: must be divisible by the number of ranks: " +
                    batch.dump() + " on " + std::to_string(plan.ranks())};
}

void check_config(const Plan& plan, const WorkerSchema& schema) {
  const auto faults = schema.faults(plan.config);
  if (!faults.empty()) throw Refusal{"BadConfig", "spec." + faults.front()};
  check_batch(plan);
}

}  // namespace

Checked check_training(const GanTraining& training, const NodeProfiles& profiles,
                       const WorkerSchema& schema, const std::string& config_from) {
  Checked checked;
  checked.plan.key = training.key;
  checked.plan.uid = training.uid;
  try {
    checked.plan.spec = parse_spec(training.spec);
    checked.plan.profile = profile_of(checked.plan.spec, profiles);
    checked.plan.config =
        worker_config(checked.plan.spec, config_of(checked.plan.spec, config_from));
    check_config(checked.plan, schema);
  } catch (const Refusal& refusal) {
    checked.reason = refusal.reason;
    checked.problem = refusal.problem;
  } catch (const ConfigError& error) {
    checked.reason = "BadSpec";
    checked.problem = error.what();
  }
  return checked;
}

}  // namespace ganscale::controller
