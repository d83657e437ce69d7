#include "labeled_images.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/formats/file_bytes.h"
#include "data/image/decode.h"
#include "data/sources/open_source.h"

namespace ganscale::features {
namespace {

constexpr std::int64_t kHeldOut = 10;  // every tenth

data::DecodePolicy policy_of(int channels) {
  return {.channels = channels, .resolution = kSide, .fit = data::Fit::kPad};
}

at::Tensor empty_images(std::int64_t count, int channels) {
  return at::empty({count, channels, kSide, kSide}, at::kByte);
}

std::span<std::uint8_t> row(at::Tensor& images, std::int64_t index) {
  const auto bytes = images[0].numel();
  return {images.mutable_data_ptr<std::uint8_t>() + index * bytes, static_cast<std::size_t>(bytes)};
}

int channels_of(const data::Source& source) {
  data::Record record;
  source.read(0, record);
  return data::image_shape(record).channels < 3 ? 1 : 3;
}

LabeledImages take(const LabeledImages& all, const at::Tensor& chosen) {
  return {all.images.index({chosen}), all.labels.index({chosen}), all.label_count};
}

}  // namespace

LabeledImages read_labeled(const std::filesystem::path& dataset, int channels) {
  const auto source = data::open_source(dataset, kSide);
  if (source->label_count() == 0) throw DataError("no labels in " + dataset.string());
  const auto policy = policy_of(channels > 0 ? channels : channels_of(*source));
  LabeledImages all{empty_images(source->record_count(), policy.channels),
                    at::empty({source->record_count()}, at::kLong), source->label_count()};
  data::Record record;
  auto* labels = all.labels.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < source->record_count(); ++i) {
    try {
      source->read(i, record);
      data::decode_into(record, policy, row(all.images, i));
    } catch (const DataError& error) {
      throw DataError(source->describe(i) + ": " + error.what());
    }
    labels[i] = record.label;
  }
  return all;
}

std::pair<LabeledImages, LabeledImages> hold_out(const LabeledImages& all) {
  const auto is_held = at::arange(all.labels.size(0)).remainder(kHeldOut).eq(0);
  return {take(all, is_held.logical_not()), take(all, is_held)};
}

at::Tensor read_gray_images(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".png") files.push_back(entry.path());
  }
  if (files.empty()) throw DataError("no PNG file in folder: " + folder.string());
  std::ranges::sort(files);
  auto images = empty_images(static_cast<std::int64_t>(files.size()), 1);
  for (std::size_t i = 0; i < files.size(); ++i) {
    data::Record record;
    record.encoding = data::Encoding::kFile;
    record.buffer = data::read_file(files[i]);
    record.bytes = record.buffer;
    try {
      data::decode_into(record, policy_of(1), row(images, static_cast<std::int64_t>(i)));
    } catch (const DataError& error) {
      throw DataError(files[i].string() + ": " + error.what());
    }
  }
  return images;
}

}  // namespace ganscale::features
