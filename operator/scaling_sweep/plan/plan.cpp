#include "scaling_sweep/plan/plan.h"

#include <limits>

#include "base/error.h"
#include "kind/owned.h"

namespace ganscale::controller::scaling_sweep {
namespace {

/// Returns a section of an object; one that is missing becomes an empty map.
Json& section_of(Json& object, const char* name, const std::string& path) {
  Json& section = object[name];
  if (section.is_null()) section = Json::object();
  if (!section.is_object()) throw ConfigError(path + "." + name + ": expected a map");
  return section;
}

/// The first `count` labels of those that the template lists, or of all.
Json first_labels(const Json& scheme, int count) {
  const Json listed = scheme.value("labels", Json());
  Json labels = Json::array();
  if (listed.is_null()) {
    for (int label = 0; label < count; ++label) labels.push_back(label);
    return labels;
  }
  if (!listed.is_array() || listed.size() < static_cast<std::size_t>(count)) {
    throw ConfigError("spec.template.config.scheme.labels: a rank needs a label: " +
                      std::to_string(count) + " ranks, " + listed.dump());
  }
  labels.insert(labels.end(), listed.begin(), listed.begin() + count);
  return labels;
}

/// Has a training without a length last until its window is over.
void add_length(Json& config, const SweepSpec& spec) {
  Json& training = config["training"];
  const Json batch = training.value("batch", Json());
  if (training.contains("total_kimg") || !batch.is_number_integer()) return;
  const std::int64_t steps = spec.warmup_steps + spec.measure_steps;
  std::int64_t images = 0;
  // No batch is checked before this; one that is too large is refused with its training.
  if (__builtin_mul_overflow(steps, batch.get<std::int64_t>(), &images)) {
    images = std::numeric_limits<std::int64_t>::max() / 1000 * 1000;
  }
  training["total_kimg"] = images / 1000 + (images % 1000 > 0 ? 1 : 0);
}

}  // namespace

std::string point_name(const Point& point) {
  const std::string gpus = point.gpus_per_node > 0 ? "g" + std::to_string(point.gpus_per_node) : "";
  return "n" + std::to_string(point.nodes) + gpus;
}

std::string run_name(const Key& key, const Point& point, int repeat) {
  return key.name + "-" + point_name(point) + "-r" + std::to_string(repeat);
}

std::string report_name(const Key& key) { return key.name + "-report"; }

Json training_spec(const SweepSpec& spec, const Point& point, int ranks) {
  const std::string path = "spec.template";
  Json training = spec.training;
  training["nodes"] = point.nodes;
  if (point.gpus_per_node > 0) training["gpusPerNode"] = point.gpus_per_node;
  Json& config = section_of(training, "config", path);
  if (spec.mode == Mode::kPerLabel) {
    Json& scheme = section_of(config, "scheme", path + ".config");
    scheme["labels"] = first_labels(scheme, ranks);
  } else {
    config["measure"] = {{"warmup_steps", spec.warmup_steps}, {"steps", spec.measure_steps}};
  }
  if (spec.mode == Mode::kWeak) {
    section_of(config, "training", path + ".config")["batch"] =
        std::int64_t{spec.batch_per_rank} * ranks;
  }
  if (spec.mode != Mode::kPerLabel) add_length(config, spec);
  // A run that can't be measured should say so soon, and what it leaves is of no use.
  Json& restarts = section_of(training, "restartPolicy", path)["maxRestarts"];
  if (restarts.is_null()) restarts = 2;
  if (!training.contains("deletePolicy")) training["deletePolicy"] = "Purge";
  return training;
}

Json metadata_of(const Plan& plan, const std::string& name) {
  return owned_metadata({kApiVersion, kKind, plan.key, plan.uid}, kSweepLabel, name);
}

}  // namespace ganscale::controller::scaling_sweep
