#include "models/standing_statistics.h"

#include <ATen/core/grad_mode.h>

#include <vector>

#include "kernels/counter_random/counter_random.h"
#include "models/label_bundle.h"
#include "models/latent_truncation.h"
#include "models/layers/batch_norm.h"

namespace ganscale::models {
namespace {

constexpr std::int64_t kImagesOfAPass = 64;

std::vector<BatchNormLayer*> batch_norms_of(Generator& generator) {
  std::vector<BatchNormLayer*> norms;
  for (const auto& layer : generator.modules()) {
    if (auto* norm = dynamic_cast<BatchNormLayer*>(layer.get())) norms.push_back(norm);
  }
  return norms;
}

/// Runs one pass on latents and labels that nothing else uses.
void run_pass(Generator& generator, const ImageRandom& images, std::optional<double> threshold) {
  const auto options = generator.parameters().front().options();
  const std::vector<std::int64_t> shape = {kImagesOfAPass, generator.z_dim()};
  RandomStream random(images, Stream::kStandingStatistics);
  at::Tensor z = random.normal(shape, options);
  if (threshold) z = truncate_latents(z, random.uniform(shape, options), *threshold);
  at::Tensor labels;
  if (generator.label_count() > 0) {
    labels = random.labels(generator.label_count(), kImagesOfAPass).to(z.device());
  }
  generator.forward(z, labels, random);
}

bool take_statistics_of_one(Generator& generator, int passes, std::uint64_t seed,
                            std::optional<double> threshold) {
  const auto norms = batch_norms_of(generator);
  if (norms.empty()) return false;
  generator.train();
  for (int pass = 0; pass < passes; ++pass) {
    for (BatchNormLayer* norm : norms) norm->set_momentum(1.0 / (pass + 1));
    run_pass(generator, {.seed = seed, .first_image = pass * kImagesOfAPass}, threshold);
  }
  generator.eval();
  return true;
}

}  // namespace

bool take_standing_statistics(Generator& generator, int passes, std::uint64_t seed,
                              std::optional<double> threshold) {
  const at::NoGradGuard no_grad;
  const auto* bundle = dynamic_cast<const LabelBundle*>(&generator);
  if (bundle == nullptr) return take_statistics_of_one(generator, passes, seed, threshold);
  bool have_norms = false;  // all of them or none: they are of the same architecture
  for (const auto& [label, of_label] : bundle->generators()) {
    have_norms = take_statistics_of_one(*of_label, passes, seed, threshold);
  }
  return have_norms;
}

}  // namespace ganscale::models
