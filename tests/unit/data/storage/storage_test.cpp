#include "data/storage/storage.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

TEST(Storage, IsTheFileSystemUnlessAPathNamesAnother) {
  EXPECT_TRUE(is_local("images/s3:/x"));
  EXPECT_TRUE(is_local("s3:/bucket"));
  EXPECT_FALSE(is_local("s3://bucket/key"));
  EXPECT_FALSE(is_local(std::filesystem::path("s3://bucket") / "key"));
  expect_error(ExitCode::kConfig, "the run folder must be in the file system: s3://bucket/run",
               [] { require_local("s3://bucket/run", "the run folder"); });
}

TEST(LocalStorage, ListsFilesAndBrokenLinks) {
  const TemporaryFolder folder;
  folder.write("a.png", "123");
  folder.write("deep/er/b.png", "4");
  std::filesystem::create_symlink("nowhere", folder / "link.png");
  const Storage& storage = storage_of(folder.path());
  const auto names = [](const std::vector<ListedFile>& files) {
    std::vector<std::string> names;
    for (const auto& file : files)
      names.push_back(file.path.filename().string() + (file.is_broken_link ? " is broken" : ""));
    return names;
  };
  EXPECT_THAT(names(storage.files_in(folder.path())),
              testing::UnorderedElementsAre("a.png", "link.png is broken"));
  EXPECT_THAT(names(storage.files_below(folder.path())),
              testing::UnorderedElementsAre("a.png", "b.png", "link.png is broken"));
  EXPECT_NO_THROW(require_target({.path = folder / "a.png"}));
  expect_error(ExitCode::kData, "link to a file that does not exist: link.png",
               [] { require_target({.path = "link.png", .is_broken_link = true}); });
}

TEST(LocalStorage, ReadsLessAtTheEndOfAFile) {
  const TemporaryFolder folder;
  const auto path = folder.write("file", "12345");
  const auto file = storage_of(path).open({.path = path});
  std::vector<std::uint8_t> bytes(4);
  EXPECT_EQ(file->read(3, bytes), 2);
  EXPECT_EQ(bytes[1], '5');
  EXPECT_EQ(file->read(9, bytes), 0);
  expect_error(ExitCode::kData,
               "not a regular file: ", [&] { storage_of(path).open({.path = folder.path()}); });
}

}  // namespace
}  // namespace ganscale::data
