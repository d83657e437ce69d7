#include "data/image/decode.h"

#include <cstring>
#include <string>
#include <utility>

#include "base/error.h"
#include "data/image/codecs.h"
#include "data/image/resample.h"

namespace ganscale::data {
namespace {

std::string shape_text(const Image& image) {
  return std::to_string(image.channels) + "x" + std::to_string(image.height) + "x" +
         std::to_string(image.width);
}

bool is_raw(const Record& record) { return record.encoding != Encoding::kFile; }

Image raw_shape(const Record& record) {
  Image shape{.channels = record.channels, .height = record.height, .width = record.width};
  const bool sound = record.channels >= 1 && record.channels <= 4 && record.height >= 1 &&
                     record.height <= kLongestSide && record.width >= 1 &&
                     record.width <= kLongestSide;
  if (!sound) throw DataError("shape is not one of an image: " + shape_text(shape));
  const std::size_t wanted = std::size_t(record.channels) * record.height * record.width;
  if (record.bytes.size() != wanted) {
    throw DataError("image's size in bytes does not match its shape: " +
                    std::to_string(record.bytes.size()) + ", shape " + shape_text(shape));
  }
  return shape;
}

Image raw_image(const Record& record) {
  Image image = raw_shape(record);
  if (record.encoding == Encoding::kRawHwc) {
    image.hwc.assign(record.bytes.begin(), record.bytes.end());
    return image;
  }
  const std::size_t plane = static_cast<std::size_t>(image.height) * image.width;
  image.hwc.resize(record.bytes.size());
  for (int c = 0; c < image.channels; ++c) {
    const std::uint8_t* from = record.bytes.data() + c * plane;
    std::uint8_t* to = image.hwc.data() + c;
    for (std::size_t i = 0; i < plane; ++i) to[i * image.channels] = from[i];
  }
  return image;
}

std::uint8_t luma(int red, int green, int blue) {
  return static_cast<std::uint8_t>((299 * red + 587 * green + 114 * blue + 500) / 1000);
}

/// Blends an image with alpha over the background; returns others unchanged.
Image flatten(Image image, const std::array<std::uint8_t, 3>& background) {
  if (image.channels % 2 == 1) return image;
  const int colors = image.channels - 1;
  const std::uint8_t gray = luma(background[0], background[1], background[2]);
  const std::size_t pixels = static_cast<std::size_t>(image.height) * image.width;
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint8_t* from = image.hwc.data() + i * image.channels;
    std::uint8_t* to = image.hwc.data() + i * colors;  // never ahead of `from`
    const int alpha = from[colors];
    for (int c = 0; c < colors; ++c) {
      const int behind = colors == 1 ? gray : background[c];
      to[c] = static_cast<std::uint8_t>((from[c] * alpha + behind * (255 - alpha) + 127) / 255);
    }
  }
  image.channels = colors;
  image.hwc.resize(pixels * colors);
  return image;
}

Image convert_colors(const Image& image) {
  const std::size_t pixels = static_cast<std::size_t>(image.height) * image.width;
  Image out{.channels = image.channels == 1 ? 3 : 1, .height = image.height, .width = image.width};
  out.hwc.resize(pixels * out.channels);
  for (std::size_t i = 0; i < pixels; ++i) {
    if (image.channels == 1) {
      std::memset(out.hwc.data() + 3 * i, image.hwc[i], 3);
    } else {
      const std::uint8_t* from = image.hwc.data() + 3 * i;
      out.hwc[i] = luma(from[0], from[1], from[2]);
    }
  }
  return out;
}

Image fit(Image image, const DecodePolicy& policy) {
  const auto [height, width] = policy.resolution;
  if (image.height == height && image.width == width) return image;
  if (policy.fit == Fit::kResize) {
    return resample(crop_to_ratio(image, policy.resolution), height, width);
  }
  const bool smaller = image.height <= height && image.width <= width;
  if (policy.fit == Fit::kPad && smaller) return pad_to(image, height, width);
  throw DataError(
      "image size differs from the requested one, model.resolution (data convert: --resolution); "
      "set that to the size of the images, or fit: resize to change them: " +
      shape_text(image) + ", wanted " + text_of(policy.resolution));
}

void transpose_to_chw(const Image& image, std::span<std::uint8_t> chw) {
  const std::size_t plane = static_cast<std::size_t>(image.height) * image.width;
  const std::uint8_t* from = image.hwc.data();
  if (image.channels == 1) {
    std::memcpy(chw.data(), from, plane);
    return;
  }
  std::uint8_t* red = chw.data();
  std::uint8_t* green = red + plane;
  std::uint8_t* blue = green + plane;
  for (std::size_t i = 0; i < plane; ++i) {
    red[i] = from[3 * i];
    green[i] = from[3 * i + 1];
    blue[i] = from[3 * i + 2];
  }
}

}  // namespace

Image decode(const Record& record) {
  return is_raw(record) ? raw_image(record) : codec_of(record.bytes).decode(record.bytes);
}

Image image_shape(const Record& record) {
  return is_raw(record) ? raw_shape(record) : codec_of(record.bytes).shape(record.bytes);
}

Image apply_policy(Image image, const DecodePolicy& policy) {
  image = flatten(std::move(image), policy.background);
  if (image.channels != policy.channels) {
    if (!policy.convert_colors) {
      throw DataError(
          "number of channels differs from the requested one; set data.channels (data convert: "
          "--channels) to rgb or gray to convert all images: " +
          shape_text(image) + ", wanted " + std::to_string(policy.channels));
    }
    image = convert_colors(image);
  }
  return fit(std::move(image), policy);
}

bool decode_into(const Record& record, const DecodePolicy& policy, std::span<std::uint8_t> chw) {
  check(policy.channels == 1 || policy.channels == 3, "images are decoded to 1 or 3 channels");
  check(chw.size() == static_cast<std::size_t>(policy.channels * policy.resolution.pixels()),
        "decode_into() needs room for one image");
  const bool as_asked = record.channels == policy.channels &&
                        record.height == policy.resolution.height &&
                        record.width == policy.resolution.width;
  if (is_raw(record) && as_asked &&
      (record.encoding == Encoding::kRawChw || record.channels == 1)) {
    raw_shape(record);
    std::memcpy(chw.data(), record.bytes.data(), chw.size());
    return false;
  }
  Image image = decode(record);
  const bool has_more_frames = image.has_more_frames;
  transpose_to_chw(apply_policy(std::move(image), policy), chw);
  return has_more_frames;
}

}  // namespace ganscale::data
