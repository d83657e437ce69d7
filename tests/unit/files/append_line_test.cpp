#include "files/append_line.h"

#include <gtest/gtest.h>

#include "files/atomic_file.h"
#include "support/temporary_folder.h"

namespace ganscale::files {
namespace {

TEST(AppendLine, CreatesTheFileAndItsFolders) {
  const TemporaryFolder folder;
  append_line(folder / "a/lines", "1");
  append_line(folder / "a/lines", "2");
  EXPECT_EQ(read_file(folder / "a/lines"), "1\n2\n");
}

TEST(AppendLine, CutsOffThePartialLineOfAKilledProcess) {
  const TemporaryFolder folder;
  append_line(folder.write("first", R"({"a)"), "3");
  EXPECT_EQ(read_file(folder / "first"), "3\n");
  append_line(folder.write("later", "1\n2\n{\"a"), "3");
  EXPECT_EQ(read_file(folder / "later"), "1\n2\n3\n");
}

}  // namespace
}  // namespace ganscale::files
