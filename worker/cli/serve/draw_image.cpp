#include "cli/serve/draw_image.h"

#include "cli/images/image_sampler.h"
#include "cli/images/latent_walk.h"
#include "models/label_bundle.h"
#include "report/media/image_grid.h"

namespace ganscale::cli {
namespace {

// Of styles: from their mean to where they are.
constexpr Limits kStyles{0, 1};
// Of latents, in standard deviations: 0.3% of the numbers of a normal distribution are beyond 3.
constexpr Limits kLatents{0.1, 3};

}  // namespace

Choices choices_of(const training::TrainedGenerator& trained) {
  Choices choices;
  if (trained.generator->as_style_generator() != nullptr) {
    choices.truncation = kStyles;
  } else if (trained.config.model.traits.truncates_latents) {
    choices.truncation = kLatents;
  }
  if (trained.generator->label_count() > 0) choices.labels = models::labels_of(*trained.generator);
  return choices;
}

std::string draw_image(const training::TrainedGenerator& trained, const ImageRequest& request) {
  std::optional<models::Truncation> truncation;
  if (request.truncation) truncation = models::Truncation{.psi = *request.truncation};
  const ImageSampler sampler(trained, truncation);
  const auto sample_of = [&](std::int64_t seed) {
    SampleSpec spec{{seed}, {}};
    if (request.label) spec.labels = {*request.label};
    return spec;
  };
  const auto from = sample_of(request.seed);
  const auto image = request.walk_to
                         ? image_between(sampler, from, sample_of(*request.walk_to), request.t)
                         : sampler.sample(from);
  return report::encode_png(report::make_grid(image, {.columns = 1}));
}

}  // namespace ganscale::cli
