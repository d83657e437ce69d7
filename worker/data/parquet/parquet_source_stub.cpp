// Replaces parquet_source.cpp in a build without Arrow.
#include "base/error.h"
#include "data/parquet/parquet_source.h"

namespace ganscale::data {

std::unique_ptr<Source> open_parquet(const std::vector<std::filesystem::path>& files,
                                     std::int64_t /*kept_bytes*/) {
  throw DataError(
      "this build reads no Parquet files: it was made without Arrow; install pyarrow 26.0 next to "
      "torch and build again: " +
      files.front().string());
}

}  // namespace ganscale::data
