#include "training/session/check_config.h"

#include "base/log.h"
#include "comm/backends/counting_group.h"
#include "comm/open_world.h"
#include "metrics/evaluate.h"
#include "report/mlflow/mlflow_client.h"
#include "training/replica/replica.h"
#include "training/run/section_checks.h"

namespace ganscale::training {
namespace {

void require_backend(const comm::CommConfig& config, int world_size) {
  comm::check_world_size(world_size, config.expected_world_size, /*environment=*/{});
  if (config.backend == comm::Backend::kSingle && world_size > 1) {
    throw ConfigError("comm.backend is single, but several ranks were requested; use auto: " +
                      std::to_string(world_size));
  }
}

/// Throws if the ranks of a network cannot share statistics of its images.
void require_shared_statistics(const models::Blueprint& blueprint, std::int64_t images_per_pass,
                               const std::vector<int>& ranks_of_networks) {
  for (const int ranks : ranks_of_networks) {
    blueprint.statistics_color(images_per_pass, comm::CountingGroup(ranks));
  }
}

/// Only the networks know the names of their parameters. They are built only if a key names
/// one: the large ones take a while.
void require_parameters(RunConfig config) {
  if (config.discriminator.freeze.empty()) return;
  if (models::takes_labels(config.model)) config.model.label_count = 1;
  const Replica replica(config, at::kMeta, ReplicaGroups{});
}

}  // namespace

void check_config(RunConfig config, int world_size) {
  require_backend(config.comm, world_size);
  if (config.mlflow.is_wanted()) report::require_mlflow_client(config.mlflow.location);
  config.scheme.chosen->check_ranks(config, world_size);
  require_shared_statistics(*config.model.blueprint, config.training.images_per_pass(),
                            config.scheme.chosen->ranks_of_networks(world_size));
  check_metrics(config, /*has_labels=*/models::takes_labels(config.model));
  for (const auto& warning : config_warnings(config)) log::warning(warning);
  require_parameters(std::move(config));
}

void check_metrics(const RunConfig& config, bool has_labels) {
  const bool makes_labels = config.scheme.chosen->makes_labels();
  const metrics::GeneratorTraits generator{
      .has_labels = makes_labels || has_labels,
      .has_styles = config.model.traits.has_styles && !makes_labels,
      .moves_images = config.model.traits.moves_images && !makes_labels,
      .is_low_precision = config.model.low_precision_type.value_or(at::kFloat) != at::kFloat};
  for (const auto& metric : config.evaluate.metrics) metrics::require_measurable(metric, generator);
}

}  // namespace ganscale::training
