#include "data/storage/storage.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

std::vector<std::string> names_of(const std::vector<ListedFile>& files) {
  std::vector<std::string> names;
  for (const auto& file : files)
    names.push_back(file.path.filename().string() + (file.is_broken_link ? " is broken" : ""));
  return names;
}

TEST(Storage, IsTheFileSystemUnlessAPathNamesAnother) {
  EXPECT_TRUE(is_local("images/s3:/x"));
  EXPECT_TRUE(is_local("s3:/bucket"));
  EXPECT_FALSE(is_local("s3://bucket/key"));
  EXPECT_FALSE(is_local(std::filesystem::path("s3://bucket") / "key"));
  expect_error(ExitCode::kConfig, "the run folder must be in the file system: s3://bucket/run",
               [] { require_local("s3://bucket/run", "the run folder"); });
}

TEST(Storage, RefusesCredentialsInAPathWithoutRepeatingThem) {
  for (const char* path : {"s3://key:secret@bucket/x.zip", "s3://key@bucket"}) {
    try {
      require_no_credentials(path, "data.path");
      ADD_FAILURE() << path;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("data.path has credentials in it; set "));
      EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("bucket")));
    }
  }
  for (const char* path : {"s3://bucket/me@home/x.zip", "s3://", "me@home/x.zip"})
    EXPECT_NO_THROW(require_no_credentials(path, "data.path")) << path;
}

TEST(Storage, HidesANameWithAHiddenPart) {
  for (const char* name : {".a.png", "/.a.png", "deep/.a.png", ".deep/a.png", "./.deep/er/a.png",
                           "../.a.png", "...", "__MACOSX", "deep/__MACOSX/a.png", "/lost+found/a"})
    EXPECT_TRUE(is_hidden(name)) << name;
  for (const char* name : {"", "/", "//a.png", "a.png", "/a.png", "./a.png", "../a.png", "..",
                           "a./b.png", "__MACOSX.png", "my__MACOSX/a", "lost+found.png", "lost"})
    EXPECT_FALSE(is_hidden(name)) << name;
}

TEST(LocalStorage, ListsFilesAndBrokenLinks) {
  const TemporaryFolder folder;
  folder.write("a.png", "123");
  folder.write("deep/er/b.png", "4");
  std::filesystem::create_symlink("nowhere", folder / "link.png");
  const Storage& storage = storage_of(folder.path());
  EXPECT_THAT(names_of(storage.files_in(folder.path())),
              testing::UnorderedElementsAre("a.png", "link.png is broken"));
  EXPECT_THAT(names_of(storage.files_below(folder.path())),
              testing::UnorderedElementsAre("a.png", "b.png", "link.png is broken"));
  EXPECT_NO_THROW(require_target({.path = folder / "a.png"}));
  expect_error(ExitCode::kData, "link to a file that does not exist: link.png",
               [] { require_target({.path = "link.png", .is_broken_link = true}); });
}

TEST(LocalStorage, ListsNothingThatIsHidden) {
  const TemporaryFolder folder;
  for (const char* name : {"a.png", ".b.png", ".Trash-1000/c.png", "lost+found/d.png",
                           "__MACOSX/e.png", "deep/._f.png", "deep/g.png"})
    folder.write(name, "");
  const Storage& storage = storage_of(folder.path());
  EXPECT_THAT(names_of(storage.files_in(folder.path())), testing::ElementsAre("a.png"));
  EXPECT_THAT(names_of(storage.files_below(folder.path())),
              testing::UnorderedElementsAre("a.png", "g.png"));
}

TEST(LocalStorage, NamesWhatItCannotOpen) {
  const TemporaryFolder folder;
  folder.write("deep/a.png", "");
  const auto loop = folder / "deep/loop";
  std::filesystem::create_symlink("loop", loop);
  const Storage& storage = storage_of(folder.path());
  const std::string message =
      "cannot open (Too many levels of symbolic links): " + (folder / "deep").string();
  expect_error(ExitCode::kData, message + "/loop", [&] { storage.is_file(loop); });
  expect_error(ExitCode::kData, message + "/loop", [&] { storage.is_folder(loop); });
  expect_error(ExitCode::kData, message + "/loop", [&] { storage.files_in(folder / "deep"); });
  std::filesystem::remove(loop);
  std::filesystem::create_directory_symlink(folder / "deep", loop);
  expect_error(ExitCode::kData, message + "/loop/loop/loop",
               [&] { storage.files_below(folder.path()); });
  expect_error(ExitCode::kData,
               "cannot open (No such file or directory): " + (folder / "absent").string(),
               [&] { storage.files_in(folder / "absent"); });
}

TEST(LocalStorage, HasNothingWithANameThatIsTooLong) {
  const std::string name(300, 'x');
  EXPECT_FALSE(storage_of(name).is_file(name));
  EXPECT_FALSE(storage_of(name).is_folder(name));
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
