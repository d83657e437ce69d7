#include "data/sources/open_source.h"

#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

TEST(OpenSource, SaysThatAPathIsMissing) {
  expect_error(ExitCode::kData, "dataset not found: /does/not/exist",
               [] { open_source("/does/not/exist"); });
}

TEST(OpenSource, SaysWhatWasLookedFor) {
  const TemporaryFolder folder;
  folder.write("notes.txt", "no image");
  expect_error(ExitCode::kData, "IDX files", [&] { open_source(folder.path()); });
  expect_error(ExitCode::kData, "no supported format",
               [&] { open_source(folder.path() / "notes.txt"); });
}

}  // namespace
}  // namespace ganscale::data
