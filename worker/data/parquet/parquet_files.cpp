#include "data/parquet/parquet_files.h"

#include "data/formats/shard_files.h"
#include "data/storage/storage.h"

namespace ganscale::data {

std::vector<std::filesystem::path> parquet_files(const std::filesystem::path& from) {
  constexpr char kExtension[] = ".parquet";
  if (from.extension() == kExtension && storage_of(from).is_file(from)) return {from};
  return shard_files(from, kExtension, "train");
}

}  // namespace ganscale::data
