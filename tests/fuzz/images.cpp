#include "data/image/decode.h"
#include "fuzz/parsers.h"

namespace ganscale::fuzz {
namespace {

/// Larger images are decoded in the same way, but take long.
constexpr std::int64_t kMostPixels = 1 << 18;

}  // namespace

void parse_image(Bytes input) {
  take_or_refuse([&] {
    data::Record record;
    record.bytes = input;
    record.encoding = data::Encoding::kFile;
    const data::Image shape = data::image_shape(record);
    check(shape.height > 0 && shape.width > 0, "an image has no pixels");
    if (std::int64_t{shape.height} * shape.width > kMostPixels) return;
    const data::Image image = data::decode(record);
    check(image.height == shape.height && image.width == shape.width &&
              image.channels == shape.channels,
          "an image has another shape than it says");
    const data::DecodePolicy policy{
        .channels = 3, .resolution = 8, .fit = data::Fit::kResize, .convert_colors = true};
    std::vector<std::uint8_t> chw(3 * 8 * 8);
    data::decode_into(record, policy, chw);
  });
}

}  // namespace ganscale::fuzz
