#include "data/image/image.h"

#include "base/error.h"

namespace ganscale::data {

void require_sides(const std::string& format, std::int64_t height, std::int64_t width) {
  const std::string size = std::to_string(width) + "x" + std::to_string(height);
  if (height < 1 || width < 1) throw DataError(format + " is damaged: its size is " + size);
  if (height > kLongestSide || width > kLongestSide) {
    throw DataError(format + " is too large: " + size + ", at most " +
                    std::to_string(kLongestSide) + " pixels a side");
  }
}

}  // namespace ganscale::data
