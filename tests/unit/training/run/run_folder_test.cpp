#include "training/run/run_folder.h"

#include <sys/stat.h>

#include "files/atomic_file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::training {
namespace {

using checkpoint::OnError;

class RunFolderTest : public testing::Test {
 protected:
  /// Returns what a write of the configuration logs.
  std::string write(const std::string& resolved, OnError on_error = OnError::kStop) const {
    testing::internal::CaptureStderr();
    try {
      run_.write_config(resolved, on_error);
    } catch (...) {
      testing::internal::GetCapturedStderr();
      throw;
    }
    return testing::internal::GetCapturedStderr();
  }

  const TemporaryFolder folder_;
  const RunFolder run_{folder_ / "runs/r1"};
};

TEST_F(RunFolderTest, IsMadeWithTheFoldersAboveAndBelow) {
  run_.create();
  EXPECT_TRUE(std::filesystem::is_directory(run_.samples()));
  EXPECT_NO_THROW(run_.create()) << "a resumed run finds it";
}

TEST_F(RunFolderTest, NamesThePathThatCannotBeCreated) {
  folder_.write("runs", "a file");
  expect_error(ExitCode::kConfig,
               "cannot write the run folder, choose another with --run: " + run_.root().string(),
               [&] { run_.create(); });
}

TEST_F(RunFolderTest, HasTheNameOfTheCurrentFolderForADot) {
  EXPECT_EQ(RunFolder(".").name(), std::filesystem::current_path().filename().string());
  EXPECT_EQ(run_.name(), "r1");
}

TEST_F(RunFolderTest, NamesGridsSoThatTheySortByTime) {
  EXPECT_EQ(run_.fakes(4'200'000).filename(), "fakes-004200.png");
  EXPECT_LT(run_.fakes(999'000), run_.fakes(1'000'000));
  EXPECT_EQ(run_.fakes(0).parent_path(), run_.samples());
}

TEST_F(RunFolderTest, KeepsTheConfiguration) {
  run_.create();
  EXPECT_EQ(write("a: 1\n"), "");
  EXPECT_EQ(files::read_file(run_.config()), "a: 1\n");
  EXPECT_EQ(write("a: 1\n"), "") << "the same again";
}

TEST_F(RunFolderTest, WarnsOfADifferentConfigurationAndTakesIt) {
  run_.create();
  write("a: 1\nb: 3\n");
  EXPECT_THAT(write("a: 2\nb: 3\n"),
              testing::HasSubstr(
                  "The configuration differs from the run's previous one  keys=a: 1 -> 2  file="));
  EXPECT_EQ(files::read_file(run_.config()), "a: 2\nb: 3\n");
}

TEST_F(RunFolderTest, DoesNotWarnOfOtherComments) {
  run_.create();
  write("a: 1  # of an older version\n");
  EXPECT_EQ(write("a: 1  # of this one\n"), "");
}

TEST_F(RunFolderTest, DoesNotWarnOfOtherNamesOfTheSame) {
  run_.create();
  write("data: {channels: grey}\nmodel: {narrow_clamp: 256}\n");
  const std::string today = "data: {channels: gray}\nmodel: {conv_clamp: 256}\n";
  EXPECT_EQ(run_.config_changes(today), "");
  EXPECT_EQ(write(today), "");
}

TEST_F(RunFolderTest, NamesTheFirstOfManyDifferences) {
  run_.create();
  std::string before;
  std::string now;
  for (int key = 0; key < 12; ++key) {
    before += "k" + std::to_string(key) + ": 1\n";
    now += "k" + std::to_string(key) + ": 2\n";
  }
  write(before);
  EXPECT_THAT(write(now), testing::HasSubstr("k9: 1 -> 2, and 2 more  file="));
}

TEST_F(RunFolderTest, IsCheckedWithoutBeingMade) {
  run_.require_writable();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  folder_.write("runs", "a file");
  expect_error(ExitCode::kConfig, "cannot write the run folder", [&] { run_.require_writable(); });
}

TEST_F(RunFolderTest, StopsOrWarnsIfTheConfigurationCannotBeWritten) {
  std::filesystem::create_directories(run_.root().parent_path());
  folder_.write("runs/r1", "a file where the folder should be");
  EXPECT_THROW(write("a: 1\n", OnError::kStop), files::OutputError);
  EXPECT_THAT(write("a: 1\n", OnError::kContinue),
              testing::HasSubstr("Cannot write the configuration"));
}

TEST_F(RunFolderTest, ReplacesAConfigurationThatCannotBeRead) {
  run_.create();
  folder_.write("runs/r1/config.yaml", "a: [1");
  EXPECT_THAT(write("a: 2\n"),
              testing::HasSubstr("Cannot compare with the run's previous configuration"));
  EXPECT_EQ(files::read_file(run_.config()), "a: 2\n");
}

}  // namespace
}  // namespace ganscale::training
