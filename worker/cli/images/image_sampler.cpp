#include "cli/images/image_sampler.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <sstream>

#include "base/error.h"
#include "base/log.h"
#include "base/nearest.h"
#include "kernels/counter_random/counter_random.h"
#include "models/label_bundle.h"
#include "models/latent_truncation.h"
#include "training/generators/label_state.h"

namespace ganscale::cli {
namespace {

constexpr std::int64_t kImagesAtOnce = 32;
constexpr std::uint32_t kLabelSite = 0xFFFF;  // after the sites of latents and noise
constexpr std::uint32_t kTruncationSite = 0xFFFE;

/// Calls make(first, count) for at most kImagesAtOnce images at a time and concatenates the
/// results on the host.
template <class Make>
at::Tensor in_batches(std::int64_t count, Make make) {
  std::vector<at::Tensor> parts;
  for (std::int64_t first = 0; first < count; first += kImagesAtOnce)
    parts.push_back(make(first, std::min(kImagesAtOnce, count - first)).cpu());
  return at::cat(parts);
}

/// Returns the labels on the device of their latents; undefined without labels.
at::Tensor beside(const at::Tensor& z, const at::Tensor& labels) {
  return labels.defined() ? labels.to(z.device()) : labels;
}

bool is_number_or_range(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789-") == std::string::npos &&
         text.front() != '-';
}

/// Returns the label of that name. Throws UsageError.
std::int64_t label_of_name(const std::string& name, const std::vector<std::string>& names) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return found - names.begin();
  if (names.empty()) {
    throw UsageError(
        "--labels: the labels of this run have no names; use numbers and ranges, such as 0-3: " +
        name);
  }
  const auto meant = nearest(name, names);
  throw UsageError("--labels: no label has this name: " + name +
                   (meant ? " (did you mean " + *meant + "?)" : ""));
}

/// Returns the labels of a number or range. Warns if this is also the name of another label.
std::vector<std::int64_t> labels_of_number(const std::string& text,
                                           const std::vector<std::string>& names) {
  auto labels = parse_numbers("--labels", text);
  const auto named = std::ranges::find(names, text) - names.begin();
  if (named < std::ssize(names) && labels != std::vector<std::int64_t>{named}) {
    log::warning("--labels: digits are always a number, but the label of this name has another one",
                 {{"name", text}, {"number", named}});
  }
  return labels;
}

/// Returns the labels of a list of numbers, ranges and names, such as "0-3,cat". Throws UsageError.
std::vector<std::int64_t> parse_labels(const std::string& text,
                                       const training::TrainedGenerator& trained) {
  std::vector<std::int64_t> labels;
  std::istringstream parts(text + ",");
  for (std::string part; std::getline(parts, part, ',');) {
    const auto some = is_number_or_range(part)
                          ? labels_of_number(part, trained.label_names)
                          : std::vector{label_of_name(part, trained.label_names)};
    labels.insert(labels.end(), some.begin(), some.end());
  }
  const auto label_count = trained.generator->label_count();
  for (const auto label : labels) {
    if (label < label_count) continue;
    throw UsageError("--labels: the labels of this run are 0-" + std::to_string(label_count - 1) +
                     ": " + std::to_string(label));
  }
  return labels;
}

kernels::RandomStream noise_of(const training::TrainedGenerator& trained, std::int64_t first_seed) {
  return {{trained.config.training.seed, first_seed, 1}, Stream::kSamples};
}

}  // namespace

void refuse_bundle_with_styles(const std::string& option,
                               const training::TrainedGenerator& trained) {
  const bool is_bundle =
      dynamic_cast<const models::LabelBundle*>(trained.generator.get()) != nullptr;
  if (!is_bundle || !trained.config.model.traits.has_styles) return;
  const auto label = models::labels_of(*trained.generator).front();
  throw UsageError(option + ": a bundle of labels has no styles; pass the run of one label: " +
                   training::label_folder(training::RunFolder("RUN"), label).string());
}

models::SampleTruncation truncation_of(const training::TrainedGenerator& trained,
                                       const std::optional<models::Truncation>& truncation) {
  if (!truncation) return {};
  if (trained.generator->as_style_generator() != nullptr) return {.styles = *truncation};
  refuse_bundle_with_styles("--truncation", trained);
  if (!trained.config.model.traits.truncates_latents) {
    throw UsageError("--truncation: this model has no truncation: " + trained.config.model.name);
  }
  if (truncation->cutoff >= 0) {
    throw UsageError("--truncation-cutoff: this model has no styles: " + trained.config.model.name);
  }
  if (truncation->psi <= 0) {
    throw UsageError("--truncation: the threshold of latents must be positive: " +
                     std::to_string(truncation->psi));
  }
  return {.latent_threshold = truncation->psi};
}

ImageSampler::ImageSampler(const training::TrainedGenerator& trained,
                           const std::optional<models::Truncation>& truncation)
    : trained_(trained),
      style_(trained.generator->as_style_generator()),
      truncation_(truncation_of(trained, truncation)) {}

void ImageSampler::require_styles(const std::string& option) const {
  if (has_styles()) return;
  refuse_bundle_with_styles(option, trained_);
  throw UsageError(option + ": this model has no styles: " + trained_.config.model.name);
}

void ImageSampler::move_images(const models::ImageMotion& motion) const {
  const at::Tensor transform = style_ != nullptr ? style_->input_transform() : at::Tensor();
  if (!transform.defined()) {
    if (trained_.config.model.traits.moves_images)
      refuse_bundle_with_styles("--rotate, --translate", trained_);
    throw UsageError("--rotate, --translate: this model can't turn and move its images: " +
                     trained_.config.model.name);
  }
  const at::NoGradGuard no_grad;
  transform.copy_(models::transform_of(motion));
}

SampleSpec ImageSampler::specify(std::vector<std::int64_t> seeds, const std::string& text) const {
  SampleSpec spec{std::move(seeds), {}};
  if (!has_labels()) {
    if (!text.empty()) labels(text);  // refuses them
    return spec;
  }
  if (text == kAsInData) {
    spec.labels = draw_labels(spec.seeds);
    return spec;
  }
  const auto choice = labels(text);
  for (std::size_t i = 0; i < spec.seeds.size(); ++i)
    spec.labels.push_back(choice[i % choice.size()]);
  return spec;
}

std::vector<std::int64_t> ImageSampler::labels(const std::string& text) const {
  if (!has_labels()) throw UsageError("--labels: the model of this run is unconditional: " + text);
  return text.empty() ? models::labels_of(*trained_.generator) : parse_labels(text, trained_);
}

std::vector<std::int64_t> ImageSampler::draw_labels(const std::vector<std::int64_t>& seeds) const {
  std::vector<double> sums;  // cumulative
  std::partial_sum(trained_.label_probabilities.begin(), trained_.label_probabilities.end(),
                   std::back_inserter(sums));
  if (sums.empty()) {
    throw UsageError(
        "--labels data: this checkpoint has no label frequencies; list labels, such as --labels "
        "0-9: " +
        trained_.checkpoint.string());
  }
  std::vector<std::int64_t> labels;
  for (const auto seed : seeds) {
    const auto share =
        kernels::random_uniform({trained_.config.training.seed, seed, 1}, Stream::kSamples,
                                kLabelSite, {1}, at::TensorOptions(at::kDouble))
            .item<double>();
    // A label that never occurs does not raise the sum, and is never the first above.
    labels.push_back(std::ranges::upper_bound(sums, share * sums.back()) - sums.begin());
  }
  return labels;
}

at::Tensor ImageSampler::latents(const std::vector<std::int64_t>& seeds) const {
  const auto options = trained_.generator->parameters().front().options();
  std::vector<at::Tensor> parts;
  for (const Span& span : consecutive_spans(seeds, kImagesAtOnce)) {
    const ImageRandom images{trained_.config.training.seed, span.first, 1};
    const std::vector<std::int64_t> shape = {span.count, trained_.generator->z_dim()};
    at::Tensor z = kernels::random_normal(images, Stream::kSamples, /*site=*/0, shape, options);
    if (const auto threshold = latent_threshold()) {
      const at::Tensor uniform =
          kernels::random_uniform(images, Stream::kSamples, kTruncationSite, shape, options);
      z = models::truncate_latents(z, uniform, *threshold);
    }
    parts.push_back(std::move(z));
  }
  return at::cat(parts);
}

at::Tensor ImageSampler::from_latents(const at::Tensor& z, const at::Tensor& labels) const {
  const at::NoGradGuard no_grad;
  const auto here = beside(z, labels);
  if (style_ != nullptr) return from_styles(style_->map(z, here, truncation_.styles));
  return in_batches(z.size(0), [&](std::int64_t first, std::int64_t count) {
    auto noise = noise_of(trained_, first);
    return trained_.generator->forward(z.narrow(0, first, count),
                                       here.defined() ? here.narrow(0, first, count) : here, noise);
  });
}

at::Tensor ImageSampler::sample(const SampleSpec& spec) const {
  return from_latents(latents(spec.seeds), labels_of(spec));
}

at::Tensor ImageSampler::styles(const SampleSpec& spec) const {
  const at::NoGradGuard no_grad;
  const auto z = latents(spec.seeds);
  return style_->map(z, beside(z, labels_of(spec)), truncation_.styles);
}

at::Tensor ImageSampler::from_styles(const at::Tensor& w) const {
  const at::NoGradGuard no_grad;
  return in_batches(w.size(0), [&](std::int64_t first, std::int64_t count) {
    auto noise = noise_of(trained_, first);
    return style_->synthesize(w.narrow(0, first, count), noise);
  });
}

at::Tensor ImageSampler::labels_of(const SampleSpec& spec) const {
  return spec.labels.empty() ? at::Tensor() : at::tensor(spec.labels);
}

}  // namespace ganscale::cli
