#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "checkpoint/reader.h"
#include "support/temporary_folder.h"
#include "training_process.h"

namespace ganscale {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A run whose disk has space for one checkpoint (18 MB), not for two.
class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(run_);
    if (::mount("tmpfs", run_.c_str(), "tmpfs", 0, "size=30m") != 0) {
      GTEST_SKIP() << "mounting a small disk needs root: " << std::strerror(errno);
    }
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) ::umount2(run_.c_str(), MNT_DETACH);
  }

  /// Trains 8 steps with a checkpoint every 2; returns what was printed.
  std::string train(const std::string& on_error) const {
    return train_as(write_tiny_training(folder_.path(), 8, "fp32",
                                        "model: {name: dcgan, resolution: 32}\n"
                                        "checkpoint: {every_kimg: 0.016, on_error: " +
                                            on_error + "}\n"));
  }

  std::string train_as(const fs::path& config) const {
    TrainingProcess training(1, config, run_);
    EXPECT_EQ(training.exit_code(), 65) << training.output();
    return training.output();
  }

  void expect_the_first_checkpoint_is_there() const {
    const auto newest = checkpoint::newest_valid_checkpoint(run_);
    ASSERT_TRUE(newest);
    EXPECT_EQ(newest->filename(), "kimg-000000.016");
  }

  const TemporaryFolder folder_;
  const fs::path run_ = folder_ / "run";
  bool mounted_ = false;
};

TEST_F(FullDisk, DoesNotEndTheTrainingAndReportsThatTheLastCheckpointIsMissing) {
  const auto output = train("continue");
  EXPECT_THAT(output, HasSubstr("tick 8 "));
  EXPECT_THAT(output, HasSubstr("the last checkpoint could not be written"));
  EXPECT_THAT(output, HasSubstr("No space left on device"));
  expect_the_first_checkpoint_is_there();
}

TEST_F(FullDisk, DoesNotEndATrainingThatCannotWriteItsConfigurationAndEvents) {
  train("continue");
  fs::remove(run_ / "stats.jsonl");  // of which a resumed run drops lines, and so makes room
  std::ofstream(run_ / "rest") << std::string(30'000'000, 'x');  // what fits
  std::ostringstream text;
  text << std::ifstream(folder_ / "run.yaml").rdbuf();
  std::string yaml = text.str();
  yaml.replace(yaml.find("tick_kimg"), 0, "tensorboard: true, ");
  const auto output = train_as(folder_.write("run.yaml", yaml));
  EXPECT_THAT(output, HasSubstr("Cannot write the configuration"));
  EXPECT_THAT(output, HasSubstr("Cannot write the TensorBoard events"));
  EXPECT_THAT(output, HasSubstr("tick 8 "));
  expect_the_first_checkpoint_is_there();
}

TEST_F(FullDisk, StopsTheTrainingIfConfigured) {
  const auto output = train("stop");
  EXPECT_THAT(output, testing::Not(HasSubstr("tick 8 ")));
  EXPECT_THAT(output, HasSubstr("No space left on device"));
  expect_the_first_checkpoint_is_there();
}

}  // namespace
}  // namespace ganscale
