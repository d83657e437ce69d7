#include "training/loop/sample_grids.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include <algorithm>

#include "data/sources/read_image.h"
#include "report/media/grid_labels.h"
#include "report/media/image_grid.h"

namespace ganscale::training {
namespace {

/// The grid is drawn in parts, so that it needs no more memory than a training step.
constexpr std::int64_t kImagesAtOnce = 32;

constexpr std::int64_t kNoRecord = -1;

/// Chooses the record of each place, evenly among the records of its label; kNoRecord in the places
/// of a label without records.
std::vector<std::int64_t> records_to_show(const data::Source& source, std::int64_t count,
                                          int columns, std::int64_t label_count) {
  std::vector<std::int64_t> records(static_cast<std::size_t>(count), kNoRecord);
  std::vector<std::vector<std::int64_t>> by_label(
      static_cast<std::size_t>(std::max<std::int64_t>(label_count, 1)));
  for (std::int64_t i = 0; i < source.record_count(); ++i) {
    by_label[label_count > 0 ? static_cast<std::size_t>(source.label(i)) : 0].push_back(i);
  }
  const auto labels =
      report::grid_labels(count, columns, static_cast<std::int64_t>(by_label.size()));
  std::vector<std::size_t> places(by_label.size());
  for (const std::int64_t label : labels) ++places[static_cast<std::size_t>(label)];
  std::vector<std::size_t> next(by_label.size());
  for (std::size_t place = 0; place < labels.size(); ++place) {
    const auto label = static_cast<std::size_t>(labels[place]);
    const auto& of_label = by_label[label];
    if (of_label.empty()) continue;
    const std::size_t i = next[label]++;
    const bool suffice = of_label.size() >= places[label];
    records[place] = of_label[suffice ? i * of_label.size() / places[label] : i % of_label.size()];
  }
  return records;
}

}  // namespace

void SampleGrids::write_reals(const data::Source& source, const data::DecodePolicy& policy,
                              std::int64_t label_count) const {
  const auto records = records_to_show(source, image_count(), config_.grid_columns, label_count);
  constexpr int kWhite = 255;
  const auto [height, width] = policy.resolution;
  const auto images = at::full({image_count(), policy.channels, height, width}, kWhite, at::kByte);
  const auto image_bytes = static_cast<std::size_t>(images.stride(0));
  auto* place = images.mutable_data_ptr<std::uint8_t>();
  data::Record record;
  for (const std::int64_t index : records) {
    if (index != kNoRecord) data::read_into(source, index, policy, record, {place, image_bytes});
    place += image_bytes;
  }
  report::write_image_grid(images, {.columns = config_.grid_columns}, folder_.reals());
}

at::Tensor SampleGrids::write_fakes(models::Generator& generator, std::int64_t images_seen) const {
  const at::NoGradGuard no_grad;
  const auto options = generator.parameters().front().options();
  at::Tensor labels;
  if (generator.label_count() > 0) {
    labels = at::tensor(
                 report::grid_labels(image_count(), config_.grid_columns, generator.label_count()))
                 .to(options.device());
  }
  std::vector<at::Tensor> parts;
  for (std::int64_t first = 0; first < image_count(); first += kImagesAtOnce) {
    const auto count = std::min(kImagesAtOnce, image_count() - first);
    const ImageRandom images{config_.seed, first, 1};
    const auto z = kernels::random_normal(images, Stream::kSamples, /*site=*/0,
                                          {count, generator.z_dim()}, options);
    kernels::RandomStream noise(images, Stream::kSamples);
    const auto part_labels = labels.defined() ? labels.narrow(0, first, count) : labels;
    parts.push_back(generator.forward(z, part_labels, noise).cpu());
  }
  const at::Tensor fakes = at::cat(parts);
  report::write_image_grid(fakes, {.columns = config_.grid_columns}, folder_.fakes(images_seen));
  return fakes;
}

}  // namespace ganscale::training
