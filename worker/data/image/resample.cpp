#include "data/image/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"

namespace ganscale::data {
namespace {

/// The input pixels and weights of an output pixel.
struct Taps {
  int first = 0;
  std::vector<float> weights;
};

std::vector<Taps> triangle_taps(int input_count, int output_count) {
  const double step = static_cast<double>(input_count) / output_count;
  const double radius = std::max(step, 1.0);
  std::vector<Taps> all(output_count);
  for (int i = 0; i < output_count; ++i) {
    const double center = (i + 0.5) * step;
    const int first = std::max(0, static_cast<int>(std::ceil(center - radius - 0.5)));
    const int last = std::min(input_count - 1, static_cast<int>(std::floor(center + radius - 0.5)));
    all[i].first = first;
    double sum = 0;
    for (int x = first; x <= last; ++x) sum += 1 - std::abs(x + 0.5 - center) / radius;
    for (int x = first; x <= last; ++x) {
      all[i].weights.push_back(static_cast<float>((1 - std::abs(x + 0.5 - center) / radius) / sum));
    }
  }
  return all;
}

/// Filters along the width: [height, width, channels] to [height, taps, channels].
std::vector<float> filter_rows(const Image& image, const std::vector<Taps>& taps) {
  const int channels = image.channels;
  std::vector<float> out(static_cast<std::size_t>(image.height) * taps.size() * channels);
  float* next = out.data();
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* row =
        image.hwc.data() + static_cast<std::size_t>(y) * image.width * channels;
    for (const Taps& tap : taps) {
      for (int c = 0; c < channels; ++c) {
        const std::uint8_t* pixel = row + tap.first * channels + c;
        float sum = 0;
        for (const float weight : tap.weights) {
          sum += weight * *pixel;
          pixel += channels;
        }
        *next++ = sum;
      }
    }
  }
  return out;
}

/// Returns length * numerator / denominator to the nearest pixel, at least one.
int part_of(int length, int numerator, int denominator) {
  const double exact = static_cast<double>(length) * numerator / denominator;
  return std::max(1, static_cast<int>(std::lround(exact)));
}

}  // namespace

Image crop_to_ratio(const Image& image, const Resolution& ratio) {
  const int height = std::min(image.height, part_of(image.width, ratio.height, ratio.width));
  const int width = std::min(image.width, part_of(image.height, ratio.width, ratio.height));
  const int top = (image.height - height) / 2;
  const int left = (image.width - width) / 2;
  Image part{.channels = image.channels, .height = height, .width = width};
  const std::size_t row_bytes = static_cast<std::size_t>(width) * image.channels;
  part.hwc.resize(row_bytes * height);
  for (int y = 0; y < height; ++y) {
    const std::size_t from =
        (static_cast<std::size_t>(top + y) * image.width + left) * image.channels;
    std::memcpy(part.hwc.data() + y * row_bytes, image.hwc.data() + from, row_bytes);
  }
  return part;
}

Image resample(const Image& image, int height, int width) {
  const std::vector<float> rows = filter_rows(image, triangle_taps(image.width, width));
  const std::size_t row_length = static_cast<std::size_t>(width) * image.channels;
  Image out{.channels = image.channels, .height = height, .width = width};
  out.hwc.reserve(row_length * height);
  std::vector<float> sums(row_length);
  for (const Taps& tap : triangle_taps(image.height, height)) {
    std::fill(sums.begin(), sums.end(), 0.5F);  // rounds to nearest
    const float* row = rows.data() + tap.first * row_length;
    for (const float weight : tap.weights) {
      for (std::size_t i = 0; i < row_length; ++i) sums[i] += weight * row[i];
      row += row_length;
    }
    for (const float sum : sums) {
      out.hwc.push_back(static_cast<std::uint8_t>(std::clamp(sum, 0.0F, 255.0F)));
    }
  }
  return out;
}

Image pad_to(const Image& image, int height, int width) {
  check(image.height <= height && image.width <= width, "pad_to() does not crop");
  Image out{.channels = image.channels, .height = height, .width = width};
  out.hwc.resize(static_cast<std::size_t>(height) * width * image.channels);
  const int top = (height - image.height) / 2;
  const int left = (width - image.width) / 2;
  const std::size_t row_bytes = static_cast<std::size_t>(image.width) * image.channels;
  for (int y = 0; y < image.height; ++y) {
    const std::size_t to = (static_cast<std::size_t>(top + y) * width + left) * image.channels;
    std::memcpy(out.hwc.data() + to, image.hwc.data() + y * row_bytes, row_bytes);
  }
  return out;
}

}  // namespace ganscale::data
