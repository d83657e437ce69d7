#include "data/image/decode.h"

#include <cstring>
#include <string>
#include <utility>

#include "base/error.h"
#include "data/image/jpeg_codec.h"
#include "data/image/png_codec.h"
#include "data/image/resample.h"

namespace ganscale::data {
namespace {

std::string shape_text(const Picture& picture) {
  return std::to_string(picture.channels) + "x" + std::to_string(picture.height) + "x" +
         std::to_string(picture.width);
}

bool is_raw(const Record& record) {
  return record.encoding == Encoding::kRawChw || record.encoding == Encoding::kRawHwc;
}

Picture raw_shape(const Record& record) {
  Picture shape{.channels = record.channels, .height = record.height, .width = record.width};
  const bool sound = record.channels >= 1 && record.channels <= 4 && record.height >= 1 &&
                     record.height <= kLongestSide && record.width >= 1 &&
                     record.width <= kLongestSide;
  if (!sound) throw DataError("shape is not one of a picture: " + shape_text(shape));
  const std::size_t wanted = std::size_t(record.channels) * record.height * record.width;
  if (record.bytes.size() != wanted) {
    throw DataError("picture's size in bytes does not fit its shape: " +
                    std::to_string(record.bytes.size()) + ", shape " + shape_text(shape));
  }
  return shape;
}

Picture raw_picture(const Record& record) {
  Picture picture = raw_shape(record);
  if (record.encoding == Encoding::kRawHwc) {
    picture.hwc.assign(record.bytes.begin(), record.bytes.end());
    return picture;
  }
  const std::size_t plane = static_cast<std::size_t>(picture.height) * picture.width;
  picture.hwc.resize(record.bytes.size());
  for (int c = 0; c < picture.channels; ++c) {
    const std::uint8_t* from = record.bytes.data() + c * plane;
    std::uint8_t* to = picture.hwc.data() + c;
    for (std::size_t i = 0; i < plane; ++i) to[i * picture.channels] = from[i];
  }
  return picture;
}

std::uint8_t luma(int red, int green, int blue) {
  return static_cast<std::uint8_t>((299 * red + 587 * green + 114 * blue + 500) / 1000);
}

/// Lays a picture with alpha over the background; one without stays as it is.
Picture flatten(Picture picture, const std::array<std::uint8_t, 3>& background) {
  if (picture.channels % 2 == 1) return picture;
  const int colours = picture.channels - 1;
  const std::uint8_t grey = luma(background[0], background[1], background[2]);
  const std::size_t pixels = static_cast<std::size_t>(picture.height) * picture.width;
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint8_t* from = picture.hwc.data() + i * picture.channels;
    std::uint8_t* to = picture.hwc.data() + i * colours;  // never ahead of `from`
    const int alpha = from[colours];
    for (int c = 0; c < colours; ++c) {
      const int behind = colours == 1 ? grey : background[c];
      to[c] = static_cast<std::uint8_t>((from[c] * alpha + behind * (255 - alpha) + 127) / 255);
    }
  }
  picture.channels = colours;
  picture.hwc.resize(pixels * colours);
  return picture;
}

Picture convert_colours(const Picture& picture) {
  const std::size_t pixels = static_cast<std::size_t>(picture.height) * picture.width;
  Picture out{
      .channels = picture.channels == 1 ? 3 : 1, .height = picture.height, .width = picture.width};
  out.hwc.resize(pixels * out.channels);
  for (std::size_t i = 0; i < pixels; ++i) {
    if (picture.channels == 1) {
      std::memset(out.hwc.data() + 3 * i, picture.hwc[i], 3);
    } else {
      const std::uint8_t* from = picture.hwc.data() + 3 * i;
      out.hwc[i] = luma(from[0], from[1], from[2]);
    }
  }
  return out;
}

Picture fit(Picture picture, const DecodePolicy& policy) {
  const int side = policy.resolution;
  if (picture.height == side && picture.width == side) return picture;
  if (policy.fit == Fit::kResize) return resample(crop_to_square(picture), side, side);
  const bool smaller = picture.height <= side && picture.width <= side;
  if (policy.fit == Fit::kPad && smaller) return pad_to(picture, side, side);
  throw DataError("picture has another size than asked for (fit: resize would change it): " +
                  shape_text(picture) + ", wanted " + std::to_string(side) + "x" +
                  std::to_string(side));
}

void transpose_to_chw(const Picture& picture, std::span<std::uint8_t> chw) {
  const std::size_t plane = static_cast<std::size_t>(picture.height) * picture.width;
  const std::uint8_t* from = picture.hwc.data();
  if (picture.channels == 1) {
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

Picture decode(const Record& record) {
  switch (record.encoding) {
    case Encoding::kPng: return decode_png(record.bytes);
    case Encoding::kJpeg: return decode_jpeg(record.bytes);
    default: return raw_picture(record);
  }
}

Picture picture_shape(const Record& record) {
  switch (record.encoding) {
    case Encoding::kPng: return png_shape(record.bytes);
    case Encoding::kJpeg: return jpeg_shape(record.bytes);
    default: return raw_shape(record);
  }
}

Picture apply_policy(Picture picture, const DecodePolicy& policy) {
  picture = flatten(std::move(picture), policy.background);
  if (picture.channels != policy.channels) {
    if (!policy.convert_colours) {
      throw DataError(
          "picture has another number of channels than asked for (convert_colours "
          "would change it): " +
          shape_text(picture) + ", wanted " + std::to_string(policy.channels));
    }
    picture = convert_colours(picture);
  }
  return fit(std::move(picture), policy);
}

void decode_into(const Record& record, const DecodePolicy& policy, std::span<std::uint8_t> chw) {
  check(policy.channels == 1 || policy.channels == 3, "pictures are decoded to 1 or 3 channels");
  check(chw.size() == std::size_t(policy.channels) * policy.resolution * policy.resolution,
        "decode_into() needs room for one picture");
  const bool as_asked = record.channels == policy.channels && record.height == policy.resolution &&
                        record.width == policy.resolution;
  if (is_raw(record) && as_asked &&
      (record.encoding == Encoding::kRawChw || record.channels == 1)) {
    raw_shape(record);
    std::memcpy(chw.data(), record.bytes.data(), chw.size());
    return;
  }
  transpose_to_chw(apply_policy(decode(record), policy), chw);
}

}  // namespace ganscale::data
