#include "training/evaluation/evaluator.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "models/label_bundle.h"
#include "report/progress.h"

namespace ganscale::training {
namespace {

/// The images of a rank: number j is first + j * stride.
struct Numbers {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t stride = 1;
};

struct Fakes {
  at::Tensor images;  // [N, C, H, W] uint8
  at::Tensor labels;  // [N] int64 on the host, or undefined
};

/// Returns the labels of all records that the generator supports: labels drawn from these are as
/// frequent as in the data.
std::vector<std::int64_t> labels_to_draw(const models::Generator& generator,
                                         const data::Source& source) {
  if (generator.label_count() == 0) return {};
  const auto made = models::labels_of(generator);
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < source.record_count(); ++i) {
    const auto label = source.label(i);
    if (std::ranges::binary_search(made, label)) labels.push_back(label);
  }
  if (labels.empty()) {
    throw DataError("the dataset has no record of a label that the generator makes: " +
                    std::to_string(source.record_count()) + " records");
  }
  return labels;
}

Fakes generate(models::Generator& generator, std::uint64_t seed, const Numbers& numbers,
               const std::vector<std::int64_t>& labels_to_draw) {
  const auto parameter = generator.parameters().front();
  kernels::RandomStream random({seed, numbers.first, numbers.stride}, Stream::kEvaluate);
  const auto z = random.normal({numbers.count, generator.z_dim()}, parameter.options());
  Fakes fakes;
  if (generator.label_count() > 0) {
    const auto places =
        random.labels(static_cast<std::int64_t>(labels_to_draw.size()), numbers.count);
    std::vector<std::int64_t> labels;
    for (std::int64_t i = 0; i < numbers.count; ++i) {
      const auto place = places.const_data_ptr<std::int64_t>()[i];
      labels.push_back(labels_to_draw[static_cast<std::size_t>(place)]);
    }
    fakes.labels = at::tensor(labels);
  }
  const auto labels = fakes.labels.defined() ? fakes.labels.to(z.device()) : fakes.labels;
  const auto images = generator.forward(z, labels, random);
  fakes.images = images.to(at::kFloat).mul(127.5).add(128).clamp(0, 255).to(at::kByte);
  return fakes;
}

}  // namespace

Evaluator::Evaluator(const metrics::EvaluateConfig& config, RealImages real, at::Device device,
                     comm::Group& group)
    : config_(config),
      images_(real),
      device_(device),
      group_(group),
      net_(metrics::open_feature_net(config.feature_net,
                                     {real.policy.channels, real.policy.resolution}, device)) {
  // Fails early if the network or the number of images is not sufficient.
  empty_sets();
  for (const auto& metric : config_.metrics) {
    metrics::require_enough(metric, metric.real_count(real.source.record_count()));
  }
}

Evaluator::FakeStats Evaluator::empty_sets() const {
  std::map<std::int64_t, metrics::Needs> needs;
  for (const auto& metric : config_.metrics) {
    auto& all = needs[metric.image_count];
    all = metrics::both(all, metrics::needs_of_fake(metric, config_));
  }
  FakeStats sets;
  for (const auto& [count, need] : needs) {
    sets.emplace(count, metrics::FeatureStats(need, count, net_));
  }
  return sets;
}

void Evaluator::extract_fakes(models::Generator& generator, std::uint64_t seed, FakeStats& sets) {
  const at::NoGradGuard no_grad;
  const std::int64_t total = sets.rbegin()->first;
  const std::int64_t stride = group_.size();
  const auto labels = labels_to_draw(generator, images_.source);
  const auto left_out = images_.source.record_count() - static_cast<std::int64_t>(labels.size());
  if (generator.label_count() > 0 && left_out > 0 && group_.rank() == 0) {
    log::warning("Some records have labels without a generator and count as real images only",
                 {{"records", left_out}});
  }
  report::ProgressBar bar("generated images", total);
  for (std::int64_t first = group_.rank(); first < total; first += config_.batch * stride) {
    const auto left = (total - first + stride - 1) / stride;
    const Numbers numbers{first, std::min(config_.batch, left), stride};
    const Fakes fakes = generate(generator, seed, numbers, labels);
    const auto features = net_.net->extract(fakes.images);
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

/// Once: the real images stay the same.
void Evaluator::extract_reals() {
  if (!real_.empty()) return;
  std::map<std::int64_t, metrics::Needs> needs;
  for (const auto& metric : config_.metrics) {
    auto& all = needs[metric.real_count(images_.source.record_count())];
    all = metrics::both(all, metrics::needs_of_real(metric));
  }
  for (const auto& [count, need] : needs) {
    RealImages images = images_;
    images.count = count;
    const bool is_needed = need != metrics::Needs{};  // not by the inception score
    real_.emplace(count, is_needed ? real_statistics(images, net_, need, config_, group_)
                                   : metrics::FeatureStats(need, count, net_));
  }
}

metrics::Measurements Evaluator::evaluate(models::Generator& generator, std::uint64_t seed) {
  metrics::Measurements result;
  if (config_.metrics.empty()) return result;
  for (const auto& metric : config_.metrics) {
    metrics::require_labels(metric, generator.label_count() > 0);
  }
  extract_reals();
  FakeStats fakes = empty_sets();
  extract_fakes(generator, seed, fakes);
  for (const auto& metric : config_.metrics) {
    const auto& real = real_.at(metric.real_count(images_.source.record_count()));
    const metrics::Sets sets{real, fakes.at(metric.image_count), generator.label_count(), seed};
    metrics::measure(metric, sets, config_, group_, result);
  }
  return result;
}

}  // namespace ganscale::training
