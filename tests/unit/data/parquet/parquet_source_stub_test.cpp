#include "data/sources/open_source.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

TEST(ParquetSource, OfABuildWithoutArrowIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.parquet", "PAR1");
  expect_error(ExitCode::kData, "this build reads no Parquet files: it was made without Arrow",
               [&] { open_source(file); });
  expect_error(ExitCode::kData, file.string(), [&] { open_source(folder.path()); });
}

}  // namespace
}  // namespace ganscale::data
