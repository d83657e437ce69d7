#include "data/image/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"

namespace ganscale::data {
namespace {

/// The input pixels that one output pixel is a weighted mean of.
struct Taps {
  int first = 0;
  std::vector<float> weights;
};

std::vector<Taps> triangle_taps(int input_count, int output_count) {
  const double step = static_cast<double>(input_count) / output_count;
  const double radius = std::max(step, 1.0);
  std::vector<Taps> all(output_count);
  for (int i = 0; i < output_count; ++i) {
    const double centre = (i + 0.5) * step;
    const int first = std::max(0, static_cast<int>(std::ceil(centre - radius - 0.5)));
    const int last = std::min(input_count - 1, static_cast<int>(std::floor(centre + radius - 0.5)));
    all[i].first = first;
    double sum = 0;
    for (int x = first; x <= last; ++x) sum += 1 - std::abs(x + 0.5 - centre) / radius;
    for (int x = first; x <= last; ++x) {
      all[i].weights.push_back(static_cast<float>((1 - std::abs(x + 0.5 - centre) / radius) / sum));
    }
  }
  return all;
}

/// Filters along the width: [height, width, channels] to [height, taps, channels].
std::vector<float> filter_rows(const Picture& picture, const std::vector<Taps>& taps) {
  const int channels = picture.channels;
  std::vector<float> out(static_cast<std::size_t>(picture.height) * taps.size() * channels);
  float* next = out.data();
  for (int y = 0; y < picture.height; ++y) {
    const std::uint8_t* row =
        picture.hwc.data() + static_cast<std::size_t>(y) * picture.width * channels;
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

}  // namespace

Picture crop_to_square(const Picture& picture) {
  const int side = std::min(picture.height, picture.width);
  const int top = (picture.height - side) / 2;
  const int left = (picture.width - side) / 2;
  Picture square{.channels = picture.channels, .height = side, .width = side};
  const std::size_t row_bytes = static_cast<std::size_t>(side) * picture.channels;
  square.hwc.resize(row_bytes * side);
  for (int y = 0; y < side; ++y) {
    const std::size_t from =
        (static_cast<std::size_t>(top + y) * picture.width + left) * picture.channels;
    std::memcpy(square.hwc.data() + y * row_bytes, picture.hwc.data() + from, row_bytes);
  }
  return square;
}

Picture resample(const Picture& picture, int height, int width) {
  const std::vector<float> rows = filter_rows(picture, triangle_taps(picture.width, width));
  const std::size_t row_length = static_cast<std::size_t>(width) * picture.channels;
  Picture out{.channels = picture.channels, .height = height, .width = width};
  out.hwc.reserve(row_length * height);
  std::vector<float> sums(row_length);
  for (const Taps& tap : triangle_taps(picture.height, height)) {
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

Picture pad_to(const Picture& picture, int height, int width) {
  check(picture.height <= height && picture.width <= width, "pad_to() does not crop");
  Picture out{.channels = picture.channels, .height = height, .width = width};
  out.hwc.resize(static_cast<std::size_t>(height) * width * picture.channels);
  const int top = (height - picture.height) / 2;
  const int left = (width - picture.width) / 2;
  const std::size_t row_bytes = static_cast<std::size_t>(picture.width) * picture.channels;
  for (int y = 0; y < picture.height; ++y) {
    const std::size_t to = (static_cast<std::size_t>(top + y) * width + left) * picture.channels;
    std::memcpy(out.hwc.data() + to, picture.hwc.data() + y * row_bytes, row_bytes);
  }
  return out;
}

}  // namespace ganscale::data
