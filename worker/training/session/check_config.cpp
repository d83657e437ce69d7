#include "training/session/check_config.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/utf8.h"
#include "checkpoint/reader.h"
#include "comm/collectives/gather_text.h"
#include "comm/open_world.h"
#include "config/differences.h"
#include "metrics/evaluate.h"
#include "report/mlflow/mlflow_client.h"
#include "training/phases/build_phases.h"
#include "training/phases/joined_batches.h"
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

/// What each machine may have a value of its own for.
constexpr std::array kOfMachine{"data.cache.",
                                "data.path:",
                                "data.prefetch.",
                                "data.reader_threads:",
                                "evaluate.cache:",
                                "evaluate.feature_net:",
                                "evaluate.perceptual_net:",
                                "telemetry.",
                                "training.threads:"};

/// Returns a key that differs from rank 0's, with both values; empty if there is none.
std::string first_change_from_rank_0(comm::Group& group, const std::string& resolved) {
  const std::string first = comm::text_of_rank_0(group, resolved);
  for (const std::string& change : config::differences(config::parse_yaml(first, "rank 0"),
                                                       config::parse_yaml(resolved, "this rank"))) {
    const auto is_key = [&](const char* key) { return change.starts_with(key); };
    if (std::ranges::none_of(kOfMachine, is_key)) return change;
  }
  return "";
}

/// Names and values of what the ranks' datasets must have in common.
using Traits = std::vector<std::pair<std::string, std::string>>;

/// The numbers come first: with the same ones, there are as many names.
Traits traits_of(const Dataset& dataset, const data::DataConfig& config) {
  const std::int64_t labels = data::used_label_count(config, *dataset.source);
  const auto names = labels > 0 ? dataset.source->label_names() : std::vector<std::string>();
  Traits traits{{"records", std::to_string(dataset.source->record_count())},
                {"channels", std::to_string(dataset.policy.channels)},
                {"labels", std::to_string(labels)},
                {"names of labels", std::to_string(names.size())}};
  for (std::size_t i = 0; i < names.size(); ++i)
    traits.emplace_back("label " + std::to_string(i), valid_utf8(names[i]));
  return traits;
}

/// Returns a trait that differs from rank 0's, with both values; empty if there is none.
std::string first_difference_from_rank_0(comm::Group& group, const Traits& own) {
  const std::string text = comm::text_of_rank_0(group, nlohmann::json(own).dump());
  const auto first = nlohmann::json::parse(text).get<Traits>();
  const auto [theirs, ours] = std::ranges::mismatch(first, own);
  return ours == own.end() ? "" : theirs->first + ": " + theirs->second + " -> " + ours->second;
}

/// Returns the first rank that differs from rank 0, and in what: on all ranks the same.
///
/// own: how this rank differs; empty if it does not.
std::optional<std::string> first_rank_that_differs(comm::Group& group, const std::string& own) {
  const auto all = comm::gather_text(group, own);
  const auto other =
      std::ranges::find_if(all, [](auto& difference) { return !difference.empty(); });
  if (other == all.end()) return std::nullopt;
  return "From rank 0 to rank " + std::to_string(other - all.begin()) + ": " + *other;
}

/// Only the networks know the names of their parameters, and whether they join batches. They are
/// built only if a key asks for that: allocating large ones takes a while.
void require_networks_fit(RunConfig config) {
  const DiscriminatorConfig& keys = config.discriminator;
  if (keys.freeze.empty() && keys.unpenalized.empty() && keys.joined_batches != JoinedBatches::kYes)
    return;
  if (models::takes_labels(config.model)) config.model.label_count = 1;
  Replica replica(config, at::kMeta, ReplicaGroups{});
  unpenalized_parameters(config, replica.discriminator());
  joins_batches(config, replica.discriminator().batch_joining(), at::kMeta);
}

}  // namespace

void require_same_config(comm::Group& group, const std::string& resolved) {
  const auto other = first_rank_that_differs(group, first_change_from_rank_0(group, resolved));
  if (!other) return;
  throw ConfigError(
      "the ranks have different configurations; do all nodes see the run folder and the "
      "configuration file? " +
      *other);
}

void require_same_dataset(comm::Group& group, const data::DataConfig& config,
                          const Dataset& dataset) {
  const auto own = first_difference_from_rank_0(group, traits_of(dataset, config));
  const auto other = first_rank_that_differs(group, own);
  if (!other) return;
  throw DataError(
      "the ranks have different datasets; is the data at data.path the same on all machines? " +
      *other);
}

void check_config(RunConfig config, int world_size) {
  require_backend(config.comm, world_size);
  if (config.mlflow.is_wanted()) report::require_mlflow_client(config.mlflow.location);
  config.scheme.chosen->check_ranks(config, world_size);
  for (const int ranks : config.scheme.chosen->ranks_of_networks(world_size))
    require_shared_statistics(config, config.training.images_per_pass(), ranks);
  metrics::require_networks(config.evaluate);
  check_weights(config.training);
  check_metrics(config, /*has_labels=*/models::takes_labels(config.model));
  for (const auto& warning : config_warnings(config)) log::warning(warning);
  require_networks_fit(std::move(config));
}

void check_weights(const TrainingConfig& config) {
  const std::string reason = checkpoint::why_not_a_folder(config.resume_weights);
  if (reason.empty()) return;
  throw ConfigError("training.resume_weights: " + reason + ": " + config.resume_weights);
}

void check_metrics(const RunConfig& config, bool has_labels) {
  const bool makes_labels = config.scheme.chosen->makes_labels();
  const metrics::GeneratorTraits generator{
      .has_labels = makes_labels || has_labels,
      .has_styles = config.model.traits.has_styles && !makes_labels,
      .moves_images = config.model.traits.moves_images && !makes_labels,
      .is_low_precision = config.model.low_precision_type.value_or(at::kFloat) != at::kFloat};
  metrics::require_of_each(config.evaluate, [&](const metrics::MetricName& metric) {
    metrics::require_measurable(metric, generator);
  });
}

}  // namespace ganscale::training
