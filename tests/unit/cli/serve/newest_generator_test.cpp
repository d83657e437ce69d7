#include "cli/serve/newest_generator.h"

#include "support/expect_error.h"
#include "unit/cli/serve/run_with_checkpoints.h"

namespace ganscale::cli {
namespace {

TEST(NewestGenerator, IsAbsentBeforeTheFirstCheckpoint) {
  const RunWithCheckpoints run;
  EXPECT_EQ(NewestGenerator(run.path(), at::kCPU).refresh(), nullptr);
}

TEST(NewestGenerator, FollowsTheRun) {
  const RunWithCheckpoints run;
  NewestGenerator generator(run.path(), at::kCPU);
  for (const std::int64_t images_seen : {1000, 2000}) {
    run.write_checkpoint(images_seen);
    const auto* trained = generator.refresh();
    ASSERT_NE(trained, nullptr);
    EXPECT_EQ(trained->images_seen, images_seen);
  }
}

TEST(NewestGenerator, IsLoadedOnce) {
  const RunWithCheckpoints run;
  run.write_checkpoint(1000);
  NewestGenerator generator(run.path(), at::kCPU);
  const auto first = generator.refresh()->generator;
  EXPECT_EQ(generator.refresh()->generator, first);
}

// As a checkpoint that retention deletes while it is read.
TEST(NewestGenerator, SkipsCheckpointsThatCannotBeRead) {
  const RunWithCheckpoints run;
  run.write_checkpoint(1000);
  const auto damaged = run.write_checkpoint(2000);
  std::ofstream(damaged / "generator_ema.safetensors", std::ios::in | std::ios::out) << "damaged";
  NewestGenerator generator(run.path(), at::kCPU);
  ASSERT_NE(generator.refresh(), nullptr);
  EXPECT_EQ(generator.refresh()->images_seen, 1000);
  testing::internal::CaptureStderr();
  EXPECT_EQ(generator.refresh()->images_seen, 1000);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");  // reported once
}

// As storage that fails for a while.
TEST(NewestGenerator, TriesACheckpointAgainThatTheStorageDidNotGive) {
  const RunWithCheckpoints run;
  run.write_checkpoint(1000);
  const auto newest = run.write_checkpoint(2000);
  const auto written = std::filesystem::last_write_time(newest);
  const std::string name = "generator_ema.safetensors";
  auto manifest = checkpoint::read_manifest(newest);
  const std::string whole = checkpoint::format_manifest(manifest);
  manifest.files.at(name).size_bytes = 0;
  std::ofstream(newest / checkpoint::kManifestFile) << checkpoint::format_manifest(manifest);
  std::filesystem::rename(newest / name, run.path() / name);
  std::filesystem::create_symlink("/proc/self/mem", newest / name);  // 0 bytes; reading fails
  std::filesystem::last_write_time(newest, written);
  NewestGenerator generator(run.path(), at::kCPU);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(generator.refresh()->images_seen, 1000);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("Input/output error"));
  std::ofstream(newest / checkpoint::kManifestFile) << whole;
  std::filesystem::rename(run.path() / name, newest / name);
  std::filesystem::last_write_time(newest, written);
  EXPECT_EQ(generator.refresh()->images_seen, 2000);
}

TEST(NewestGenerator, StaysWhenItsCheckpointIsDeleted) {
  const RunWithCheckpoints run;
  const auto checkpoint = run.write_checkpoint(1000);
  NewestGenerator generator(run.path(), at::kCPU);
  generator.refresh();
  checkpoint::delete_checkpoint(checkpoint);
  ASSERT_NE(generator.refresh(), nullptr);
  EXPECT_EQ(generator.refresh()->images_seen, 1000);
}

}  // namespace
}  // namespace ganscale::cli
