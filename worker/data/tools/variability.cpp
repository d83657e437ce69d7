#include "data/tools/variability.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/error.h"
#include "data/image/decode.h"
#include "data/tools/f_distribution.h"
#include "data/tools/parallel_for.h"

namespace ganscale::data {
namespace {

enum Column { kImages, kPixels, kSum, kSquares, kColumns };

/// Returns the number of color channels.
int colors_of(const Image& image) { return image.channels <= 2 ? 1 : 3; }

Image decode_named(const Source& source, std::int64_t index, Record& record) {
  source.read(index, record);
  try {
    return decode(record);
  } catch (const DataError& error) {
    throw DataError(std::string(error.what()) + ": " + source.describe(index));
  }
}

/// Adds an image to its label's rows: [channels, kColumns].
void add_image(const Image& image, int colors, std::int64_t* rows) {
  const auto pixels = std::int64_t{image.height} * image.width;
  for (int c = 0; c < colors; ++c, rows += kColumns) {
    std::int64_t sum = 0;
    std::int64_t squares = 0;
    for (auto place = static_cast<std::size_t>(c); place < image.hwc.size();
         place += static_cast<std::size_t>(image.channels)) {
      const std::int64_t value = image.hwc[place];
      sum += value;
      squares += value * value;
    }
    rows[kImages] += 1;
    rows[kPixels] += pixels;
    rows[kSum] += sum;
    rows[kSquares] += squares;
  }
}

/// The sums of one class and channel.
struct ClassSums {
  long double pixels;
  long double sum;
  long double squares;
};

/// Returns whether all pixels are equal: exact, unlike a difference of squares.
bool is_constant(const ClassSums& pixels) {
  const long double value = pixels.sum / pixels.pixels;
  return value == std::floor(value) && pixels.squares == value * pixels.sum;
}

ChannelVariability analyze(const std::vector<ClassSums>& classes) {
  ClassSums all{0, 0, 0};
  long double of_means = 0;  // the sum of n * mean^2 over classes
  for (const auto& one : classes) {
    all = {all.pixels + one.pixels, all.sum + one.sum, all.squares + one.squares};
    of_means += one.sum * one.sum / one.pixels;
  }
  const long double between = of_means - all.sum * all.sum / all.pixels;
  const long double within = std::ranges::all_of(classes, is_constant) ? 0 : all.squares - of_means;
  ChannelVariability result;
  result.between_degrees = static_cast<std::int64_t>(classes.size()) - 1;
  result.within_degrees =
      static_cast<std::int64_t>(all.pixels) - static_cast<std::int64_t>(classes.size());
  if (result.within_degrees < 1) throw DataError("the analysis of variance needs more pixels");
  result.is_constant = is_constant(all);
  if (result.is_constant) return result;
  result.eta_squared = static_cast<double>(std::max(between, 0.0L) / (between + within));
  const auto variance_between = between / static_cast<long double>(result.between_degrees);
  const auto variance_within = within / static_cast<long double>(result.within_degrees);
  result.f = within > 0 ? static_cast<double>(std::max(variance_between, 0.0L) / variance_within)
                        : std::numeric_limits<double>::infinity();
  result.log10_p = log10_f_test_p(result.f, static_cast<double>(result.between_degrees),
                                  static_cast<double>(result.within_degrees));
  return result;
}

}  // namespace

EffectSize effect_size(double eta_squared) {
  if (eta_squared < 0.01) return EffectSize::kNegligible;
  if (eta_squared < 0.06) return EffectSize::kSmall;
  return eta_squared < 0.14 ? EffectSize::kMedium : EffectSize::kLarge;
}

at::Tensor class_sums(const Source& source, const RecordShare& share,
                      const std::function<void(std::int64_t done)>& on_progress) {
  if (source.label_count() == 0) {
    throw DataError("the analysis of variance compares classes, and the dataset has no labels");
  }
  Record first;
  const int colors = colors_of(decode_named(source, 0, first));
  auto sums = at::zeros({source.label_count(), colors, kColumns}, at::kLong);
  auto* const rows = sums.mutable_data_ptr<std::int64_t>();
  const auto count = (source.record_count() - share.first + share.stride - 1) / share.stride;
  std::vector<Record> records(static_cast<std::size_t>(share.threads));
  std::mutex mutex;
  std::int64_t done = 0;
  parallel_for(count, share.threads, [&](int thread, std::int64_t i) {
    const auto index = share.first + i * share.stride;
    const auto image = decode_named(source, index, records[static_cast<std::size_t>(thread)]);
    if (colors_of(image) != colors) {
      throw DataError("the images differ in their number of channels: " + source.describe(index));
    }
    std::vector<std::int64_t> own(static_cast<std::size_t>(colors) * kColumns);
    add_image(image, colors, own.data());
    const std::scoped_lock lock(mutex);
    std::transform(own.begin(), own.end(), rows + source.label(index) * colors * kColumns,
                   rows + source.label(index) * colors * kColumns, std::plus<>());
    on_progress(++done);
  });
  return sums;
}

Variability variability(const at::Tensor& sums) {
  Variability result;
  const auto rows = sums.contiguous();
  const auto* place = rows.const_data_ptr<std::int64_t>();
  std::vector<std::vector<ClassSums>> channels(static_cast<std::size_t>(rows.size(1)));
  for (std::int64_t label = 0; label < rows.size(0); ++label) {
    result.images_of_label.push_back(place[kImages]);
    for (auto& channel : channels) {
      if (place[kPixels] > 0) {
        channel.push_back({static_cast<long double>(place[kPixels]),
                           static_cast<long double>(place[kSum]),
                           static_cast<long double>(place[kSquares])});
      }
      place += kColumns;
    }
  }
  if (channels.front().size() < 2) {
    throw DataError("the analysis of variance compares classes, and only " +
                    std::to_string(channels.front().size()) + " has images");
  }
  for (const auto& channel : channels) result.channels.push_back(analyze(channel));
  return result;
}

}  // namespace ganscale::data
