#include "data/open_source.h"

#include "base/error.h"
#include "data/idx_source.h"

namespace ganscale::data {
namespace {

using std::filesystem::path;

struct Format {
  const char* what;
  bool (*matches)(const path&);
  std::unique_ptr<Source> (*open)(const path&, int resolution);
};

/// The first format that matches opens the data set.
constexpr Format kFormats[] = {
    {"IDX files (*-images-idx3-ubyte[.gz])", is_idx,
     [](const path& from, int) { return open_idx(from); }},
};

std::unique_ptr<Source> open_first_match(const path& from, int resolution) {
  std::string looked_for;
  for (const Format& format : kFormats) {
    if (format.matches(from)) return format.open(from, resolution);
    looked_for += (looked_for.empty() ? "" : ", ") + std::string(format.what);
  }
  if (!std::filesystem::exists(from)) throw DataError("data set not found: " + from.string());
  throw DataError("data set is of no known format: " + from.string() + " (looked for " +
                  looked_for + ")");
}

}  // namespace

std::unique_ptr<Source> open_source(const path& from, int resolution) {
  try {
    auto source = open_first_match(from, resolution);
    if (source->record_count() == 0) throw DataError("data set is empty: " + from.string());
    return source;
  } catch (const std::filesystem::filesystem_error& error) {  // a folder that we may not read
    throw DataError(std::string("cannot open the data set: ") + error.what());
  }
}

}  // namespace ganscale::data
