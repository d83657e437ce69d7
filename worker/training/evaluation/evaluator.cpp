#include "training/evaluation/evaluator.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "comm/collectives/gather_text.h"
#include "models/latent_truncation.h"
#include "report/log/progress.h"
#include "training/evaluation/drawn_labels.h"
#include "training/evaluation/drawn_noise.h"
#include "training/evaluation/equivariance.h"
#include "training/evaluation/perceptual_path.h"

namespace ganscale::training {
namespace {

/// The images of a rank: number j is first + j * stride.
struct Numbers {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t stride = 1;
};

metrics::GeneratorTraits traits_of(models::Generator& generator) {
  auto* styled = generator.as_style_generator();
  return {.has_labels = generator.label_count() > 0,
          .has_styles = styled != nullptr,
          .moves_images = styled != nullptr && styled->input_transform().defined()};
}

/// Returns the outputs of the feature network that some of these sets use.
metrics::WantedOutputs wanted_by(const std::map<std::int64_t, metrics::FeatureStats>& sets) {
  metrics::WantedOutputs wanted{.features = false, .logits = false};
  for (const auto& [count, set] : sets) {
    wanted.features |= set.wanted().features;
    wanted.logits |= set.wanted().logits;
  }
  return wanted;
}

struct Fakes {
  at::Tensor images;  // [N, C, H, W] uint8
  at::Tensor labels;  // [N] int64 on the host, or undefined
};

/// Returns images in eval mode, but each with noise of its own, as the reference implementations
/// measure them.
at::Tensor images_of(models::Generator& generator, const at::Tensor& z, const at::Tensor& labels,
                     const models::Truncation& truncation, kernels::RandomStream& random) {
  auto* styled = generator.as_style_generator();
  if (styled == nullptr) return generator.forward(z, labels, random);
  const auto w = styled->map(z, labels, truncation);
  const DrawnNoise drawn(*styled);
  return styled->synthesize(w, random);
}

Fakes generate(models::Generator& generator, const Draws& draws, const Numbers& numbers) {
  const auto options = generator.parameters().front().options();
  const std::vector<std::int64_t> shape = {numbers.count, generator.z_dim()};
  kernels::RandomStream random({draws.seed, numbers.first, numbers.stride}, Stream::kEvaluate);
  auto z = random.normal(shape, options);
  Fakes fakes{.images = {}, .labels = draw_labels(draws.labels, numbers.count, random)};
  if (const auto threshold = draws.truncation.latent_threshold) {
    z = models::truncate_latents(z, random.uniform(shape, options), *threshold);
  }
  const auto labels = fakes.labels.defined() ? fakes.labels.to(z.device()) : fakes.labels;
  const auto images = images_of(generator, z, labels, draws.truncation.styles, random);
  // In bytes, NaN would be black.
  if (const auto row = metrics::first_nonfinite_row({images.flatten(1), {}})) {
    throw DataError("the generator returned NaN or infinity for an image: number " +
                    std::to_string(numbers.first + *row * numbers.stride));
  }
  fakes.images = images.to(at::kFloat).mul(127.5).add(128).clamp(0, 255).to(at::kByte);
  return fakes;
}

/// Returns how many of the images each of the `made` labels has, of all labels if it is empty;
/// nothing for data without labels.
std::vector<std::int64_t> counts_by_label(const RealImages& real,
                                          const std::vector<std::int64_t>& made) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(real.source.label_count()));
  for (std::int64_t i = 0; i < real.count && !counts.empty(); ++i) {
    const auto label = static_cast<std::size_t>(real.source.label(real.record(i)));
    if (label < counts.size()) ++counts[label];
  }
  for (std::size_t label = 0; label < counts.size() && !made.empty(); ++label) {
    if (std::ranges::count(made, static_cast<std::int64_t>(label)) == 0) counts[label] = 0;
  }
  return counts;
}

/// Throws ConfigError on all ranks unless their networks are the same: what the ranks compute by
/// them is merged.
void require_same_network(comm::Group& group, const std::string& key, const std::string& sha256) {
  if (group.size() == 1) return;
  const auto all = comm::gather_text(group, sha256);
  const auto other =
      std::ranges::find_if(all, [&](const std::string& own) { return own != all.front(); });
  if (other == all.end()) return;
  throw ConfigError(key + ": the ranks have different networks; give all machines the same file: " +
                    "rank 0 has SHA-256 " + all.front() + ", rank " +
                    std::to_string(other - all.begin()) + " has " + *other);
}

}  // namespace

Evaluator::Evaluator(const metrics::EvaluateConfig& config, RealImages real, at::Device device,
                     comm::Group& group, const std::vector<std::int64_t>& made_labels)
    : config_(config), images_(real), device_(device), group_(group) {
  const ImageShape shape{real.policy.channels, real.policy.resolution};
  if (std::ranges::any_of(config_.metrics, metrics::compares_features)) {
    net_ = metrics::open_feature_net(config.feature_net, shape, device);
    require_same_network(group, "evaluate.feature_net", net_.sha256);
  }
  if (std::ranges::find(config_.metrics, metrics::Metric::kPathLength,
                        &metrics::MetricName::metric) != config_.metrics.end()) {
    perceptual_net_ = metrics::open_perceptual_net(config.perceptual_net, shape, device);
    require_same_network(group, "evaluate.perceptual_net", perceptual_net_.sha256);
  }
  // Fails early if the network or the number of images is not sufficient.
  metrics::require_of_each(config_, [&](const metrics::MetricName& metric) {
    if (metrics::compares_features(metric)) {
      const metrics::Needs needs = metrics::needs_of_fake(metric, config_);
      metrics::FeatureStats{needs, metric.image_count, net_};
    }
    RealImages compared = images_;
    compared.count = metric.real_count(real.source.record_count());
    metrics::require_enough(metric, compared.count);
    if (!metric.is_by_label) return;
    metrics::require_enough_in_labels(metric, counts_by_label(compared, made_labels),
                                      config_.labels);
  });
}

Evaluator::FakeStats Evaluator::empty_sets() const {
  std::map<std::int64_t, metrics::Needs> needs;
  for (const auto& metric : config_.metrics) {
    if (!metrics::compares_features(metric)) continue;
    auto& all = needs[metric.image_count];
    all = metrics::both(all, metrics::needs_of_fake(metric, config_));
  }
  FakeStats sets;
  for (const auto& [count, need] : needs) {
    sets.emplace(count, metrics::FeatureStats(need, count, net_));
  }
  return sets;
}

void Evaluator::extract_fakes(models::Generator& generator, const Draws& draws, FakeStats& sets) {
  const at::NoGradGuard no_grad;
  const std::int64_t total = sets.rbegin()->first;
  const std::int64_t stride = group_.size();
  const metrics::WantedOutputs wanted = wanted_by(sets);
  report::ProgressBar bar("generated images", total);
  for (std::int64_t first = group_.rank(); first < total; first += config_.batch * stride) {
    const auto left = (total - first + stride - 1) / stride;
    const Numbers numbers{first, std::min(config_.batch, left), stride};
    const Fakes fakes = generate(generator, draws, numbers);
    const auto features = net_.net->extract(fakes.images, wanted);
    if (const auto row = metrics::first_nonfinite_row(features)) {
      throw DataError(
          "the feature network returned NaN or infinity for a generated image: number " +
          std::to_string(first + *row * stride));
    }
    const auto places = at::arange(numbers.count).mul(stride).add(first);
    for (auto& [count, set] : sets) {
      const auto here = places.lt(count).sum().item<std::int64_t>();
      const auto part = [&](const at::Tensor& rows) {
        return rows.defined() ? rows.narrow(0, 0, here) : rows;
      };
      set.add({part(features.features), part(features.logits)}, part(places), part(fakes.labels));
    }
    if (group_.rank() == 0) bar.update(first);
  }
  for (auto& [count, set] : sets) set.merge(group_);
}

std::vector<std::int64_t> Evaluator::drawn_labels(const models::Generator& generator) const {
  auto labels = labels_to_draw(generator, images_.source);
  const auto left_out = images_.source.record_count() - static_cast<std::int64_t>(labels.size());
  if (generator.label_count() > 0 && left_out > 0 && group_.rank() == 0) {
    log::warning("Some records have labels without a generator and count as real images only",
                 {{"records", left_out}});
  }
  if (config_.labels == metrics::LabelShares::kData) return labels;
  std::ranges::sort(labels);
  labels.erase(std::ranges::unique(labels).begin(), labels.end());
  return labels;
}

/// Once: the real images stay the same.
void Evaluator::extract_reals() {
  if (!real_.empty()) return;
  std::map<std::int64_t, metrics::Needs> needs;
  for (const auto& metric : config_.metrics) {
    if (!metrics::compares_features(metric)) continue;
    auto& all = needs[metric.real_count(images_.source.record_count())];
    all = metrics::both(all, metrics::needs_of_real(metric));
  }
  RealImages images = images_;
  for (const auto& [count, need] : needs) {
    images.count = count;
    const bool is_needed = need != metrics::Needs{};  // not by the inception score
    if (is_needed && images.digest.empty()) images.digest = data_digest(images.source, group_);
    real_.emplace(count, is_needed ? real_statistics(images, net_, need, config_, group_)
                                   : metrics::FeatureStats(need, count, net_));
  }
}

metrics::Measurements Evaluator::evaluate(models::Generator& generator, std::uint64_t seed,
                                          const models::SampleTruncation& truncation) {
  metrics::Measurements result;
  if (config_.metrics.empty()) return result;
  const auto traits = traits_of(generator);
  metrics::require_of_each(config_, [&](const metrics::MetricName& metric) {
    metrics::require_measurable(metric, traits);
  });
  const Draws draws{seed, drawn_labels(generator), truncation};
  if (traits.has_labels) {
    result.label_shares = config_.labels == metrics::LabelShares::kData ? "data" : "balanced";
  }
  extract_reals();
  FakeStats fakes = empty_sets();
  if (!fakes.empty()) extract_fakes(generator, draws, fakes);
  for (const auto& metric : config_.metrics) {
    if (group_.rank() == 0) log::info("Computing a metric", {{"name", metric.text}});
    if (metrics::compares_features(metric)) {
      const auto& real = real_.at(metric.real_count(images_.source.record_count()));
      const metrics::Sets sets{real, fakes.at(metric.image_count), generator.label_count(), seed};
      metrics::measure(metric, sets, config_, group_, result);
    } else {
      result.values[metric.text] = measure_generator(metric, generator, draws);
    }
  }
  return result;
}

double Evaluator::measure_generator(const metrics::MetricName& metric, models::Generator& generator,
                                    const Draws& draws) {
  const models::Truncation& truncation = draws.truncation.styles;
  if (metrics::compares_motions(metric)) {
    return equivariance(*generator.as_style_generator(),
                        {metric, draws.seed, draws.labels, truncation}, group_);
  }
  return perceptual_path_length(
      generator, *perceptual_net_.net,
      {metric.path, metric.image_count, config_.batch, draws.seed, draws.labels, truncation},
      group_);
}

}  // namespace ganscale::training
