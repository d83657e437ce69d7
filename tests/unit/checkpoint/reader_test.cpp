#include "checkpoint/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/log.h"
#include "checkpoint/write_checkpoint.h"
#include "flip_a_bit.h"
#include "make_snapshot.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::checkpoint {
namespace {

namespace fs = std::filesystem;

/// A run with the checkpoints of 1,000 and 2,000 images, and its log.
class DamagedRun : public testing::Test {
 protected:
  DamagedRun() {
    write_checkpoint(run_.path(), make_snapshot(1'000, 1.0));
    write_checkpoint(run_.path(), make_snapshot(2'000, 2.0));
    log::set_file(run_ / "log.jsonl");
  }
  ~DamagedRun() override { log::set_file({}); }

  fs::path newest() const { return run_.path() / "checkpoints/kimg-000002"; }

  std::string log_text() const {
    std::ostringstream text;
    text << std::ifstream(run_.path() / "log.jsonl").rdbuf();
    return text.str();
  }

  void expect_the_one_before_is_taken(const std::string& reason) const {
    const auto found = newest_valid_checkpoint(run_.path());
    ASSERT_TRUE(found);
    EXPECT_EQ(found->filename(), "kimg-000001");
    expect_equal(load_checkpoint(*found), make_snapshot(1'000, 1.0));
    EXPECT_THAT(log_text(), testing::HasSubstr("Skipped an invalid checkpoint"));
    EXPECT_THAT(log_text(), testing::HasSubstr("kimg-000002"));
    EXPECT_THAT(log_text(), testing::HasSubstr(reason));
  }

  const TemporaryFolder run_;
};

TEST(Checkpoint, GivesBackEverythingBitForBit) {
  const TemporaryFolder run;
  auto snapshot = make_snapshot(1'536, 0.1);
  snapshot.files["random"] = {{"counter", at::full({2}, -1, at::kLong)},
                              {"flags", at::full({0}, true, at::kBool)}};
  snapshot.state = {{"cursor", 3}, {"seeds", {1, 2}}, {"rate", 0.1}};
  snapshot.metrics = {{"fid50k", 7.9}};
  write_checkpoint(run.path(), snapshot);
  expect_equal(load_checkpoint(run / "checkpoints/kimg-000001.536"), snapshot);
}

TEST(Checkpoint, OfTheSameSnapshotHasTheSameBytes) {
  const TemporaryFolder first;
  const TemporaryFolder second;
  write_checkpoint(first.path(), make_snapshot(1'000, 1.0));
  write_checkpoint(second.path(), make_snapshot(1'000, 1.0));
  for (const auto* file : {"manifest.json", "generator.safetensors", "discriminator.safetensors"}) {
    const auto name = std::string("checkpoints/kimg-000001/") + file;
    EXPECT_EQ(files::digest_file(first / name), files::digest_file(second / name)) << name;
  }
}

TEST(Checkpoint, IsReadByAPathThatEndsWithASlash) {
  const TemporaryFolder run;
  write_checkpoint(run.path(), make_snapshot(1'000, 1.0));
  for (const auto* path : {"checkpoints/kimg-000001/", "checkpoints/kimg-000001/."}) {
    expect_equal(load_checkpoint(run / path), make_snapshot(1'000, 1.0));
  }
}

TEST(Checkpoint, ReplacesOneOfTheSameName) {
  const TemporaryFolder run;
  write_checkpoint(run.path(), make_snapshot(1'000, 1.0));
  write_checkpoint(run.path(), make_snapshot(1'000, 2.0));
  expect_equal(load_checkpoint(run / "checkpoints/kimg-000001"), make_snapshot(1'000, 2.0));
  const fs::directory_iterator entries(run / "checkpoints");
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1) << "the other one stayed";
}

TEST_F(DamagedRun, WithoutDamageGivesTheNewest) {
  EXPECT_EQ(newest_valid_checkpoint(run_.path()), newest());
  EXPECT_EQ(log_text(), "");
}

TEST_F(DamagedRun, FlippedBitInATensor) {
  const auto file = newest() / "generator.safetensors";
  flip_a_bit(file, static_cast<std::int64_t>(fs::file_size(file)) - 1);
  expect_the_one_before_is_taken("a file of the checkpoint has the wrong SHA-256");
}

TEST_F(DamagedRun, FlippedBitInTheManifest) {
  flip_a_bit(newest() / "manifest.json", 60);
  expect_the_one_before_is_taken("cannot read the manifest");
}

TEST_F(DamagedRun, TruncatedFile) {
  const auto file = newest() / "generator.safetensors";
  fs::resize_file(file, fs::file_size(file) - 1);
  expect_the_one_before_is_taken("a file of the checkpoint has the wrong size");
}

TEST_F(DamagedRun, EmptyFile) {
  fs::resize_file(newest() / "generator.safetensors", 0);
  expect_the_one_before_is_taken("0 bytes, expected");
}

TEST_F(DamagedRun, MissingFile) {
  fs::remove(newest() / "generator.safetensors");
  expect_the_one_before_is_taken("generator.safetensors: No such file or directory");
}

TEST_F(DamagedRun, MissingManifest) {
  fs::remove(newest() / "manifest.json");
  expect_the_one_before_is_taken("manifest.json: No such file or directory");
}

TEST_F(DamagedRun, AnotherCheckpointUnderItsName) {
  fs::remove_all(newest());
  fs::copy(run_ / "checkpoints/kimg-000001", newest());
  expect_the_one_before_is_taken("the manifest belongs to another checkpoint");
}

TEST_F(DamagedRun, WithoutAnyValidOneIsADataError) {
  fs::remove(newest() / "manifest.json");
  fs::remove(run_ / "checkpoints/kimg-000001/manifest.json");
  expect_error(ExitCode::kData, "no checkpoint of the run is valid",
               [&] { newest_valid_checkpoint(run_.path()); });
}

// Manifests that can be opened but not read, as where the storage fails: they may yet be whole.
TEST_F(DamagedRun, ThatTheStorageDoesNotGiveIsNotCalledInvalid) {
  for (const auto* name : {"kimg-000001", "kimg-000002"}) {
    const auto manifest = run_.path() / "checkpoints" / name / "manifest.json";
    fs::remove(manifest);
    fs::create_directory(manifest);
  }
  expect_error(ExitCode::kData,
               "no checkpoint of the run can be read: can't read: " +
                   (newest() / "manifest.json").string() + ": Is a directory",
               [&] { newest_valid_checkpoint(run_.path()); });
}

TEST_F(DamagedRun, IsRepairedByTheNextWriteOfThatName) {
  fs::remove(newest() / "manifest.json");
  write_checkpoint(run_.path(), make_snapshot(2'000, 2.0));
  EXPECT_EQ(newest_valid_checkpoint(run_.path()), newest());
}

TEST_F(DamagedRun, ListShowsSizesAndDefects) {
  fs::remove(newest() / "generator.safetensors");
  fs::create_directory(run_ / "checkpoints/notes");
  fs::create_directory(run_ / "checkpoints/.tmp-kimg-000003");
  const auto list = list_checkpoints(run_.path());
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].images_seen, 1'000);
  EXPECT_EQ(list[0].defect, "");
  EXPECT_EQ(list[0].size_bytes,
            static_cast<std::int64_t>(fs::file_size(list[0].folder / "generator.safetensors") +
                                      fs::file_size(list[0].folder / "discriminator.safetensors")));
  EXPECT_THAT(list[1].defect, testing::HasSubstr("generator.safetensors"));
}

TEST(NewestValidCheckpoint, IsAbsentInANewRun) {
  const TemporaryFolder run;
  EXPECT_EQ(newest_valid_checkpoint(run.path()), std::nullopt);
  EXPECT_TRUE(list_checkpoints(run.path()).empty());
}

TEST(NewestValidCheckpoint, LeadsFromAFileOrAUrlToImport) {
  const TemporaryFolder folder;
  for (const std::string& path : {folder.write("ffhq.pkl", "weights").string(),
                                  std::string("https://weights.example/ffhq.pkl")}) {
    expect_error(ExitCode::kData,
                 "make a run of it first: ganscale import --from FILE --run DIR: " + path,
                 [&] { newest_valid_checkpoint(path); });
  }
}

TEST(NewestValidCheckpoint, LeadsFromACheckpointToItsOption) {
  const TemporaryFolder run;
  write_checkpoint(run.path(), make_snapshot(1'000, 1.0));
  const fs::path checkpoint = run.path() / "checkpoints/kimg-000001";
  expect_error(ExitCode::kData,
               "this is a checkpoint, not a run; pass it with --checkpoint, or pass the run's "
               "folder: " +
                   checkpoint.string(),
               [&] { newest_valid_checkpoint(checkpoint); });
}

TEST(NewestValidCheckpoint, OfAFolderThatCannotBeReadIsADataErrorNotANewRun) {
  const TemporaryFolder run;
  fs::create_symlink("checkpoints", run / "checkpoints");  // ELOOP, for root too
  expect_error(ExitCode::kData, "cannot list the checkpoints",
               [&] { newest_valid_checkpoint(run.path()); });
}

}  // namespace
}  // namespace ganscale::checkpoint
