#include "checkpoint/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <future>

#include "base/error.h"
#include "checkpoint/checkpoint_name.h"
#include "checkpoint/reader.h"
#include "checkpoint/write_checkpoint.h"
#include "flip_a_bit.h"
#include "make_snapshot.h"
#include "support/temporary_folder.h"

namespace ganscale::checkpoint {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names(const fs::path& folder) {
  std::vector<std::string> result;
  for (const auto& entry : fs::directory_iterator(folder))
    result.push_back(entry.path().filename());
  std::ranges::sort(result);
  return result;
}

TEST(Writer, WritesTheStateOfTheCallWhileTrainingContinues) {
  const TemporaryFolder run;
  Writer writer(run.path(), {});
  auto snapshot = make_snapshot(1'000, 1.0, /*extent=*/100'000);
  writer.write(snapshot);
  snapshot.files["generator"]["weight"].fill_(2.0);
  EXPECT_TRUE(writer.wait());
  expect_equal(load_checkpoint(run / "checkpoints/kimg-000001"),
               make_snapshot(1'000, 1.0, 100'000));
}

TEST(Writer, WritesEveryCheckpointOfManyInARow) {
  const TemporaryFolder run;
  Writer writer(run.path(), {.keep_last = 0});
  for (int i = 1; i <= 5; ++i) writer.write(make_snapshot(i * 1'000, i));
  EXPECT_TRUE(writer.wait());
  EXPECT_EQ(writer.status().written_count, 5);
  const auto list = list_checkpoints(run.path());
  ASSERT_EQ(list.size(), 5U);
  for (int i = 1; i <= 5; ++i) {
    expect_equal(load_checkpoint(list[i - 1].folder), make_snapshot(i * 1'000, i));
  }
}

/// Writes a checkpoint for each value of a metric, and waits.
void write_measured(Writer& writer, const std::string& metric, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int number = static_cast<int>(i) + 1;
    auto snapshot = make_snapshot(number * 1'000, number);
    snapshot.metrics = {{metric, values[i]}};
    writer.write(snapshot);
  }
  EXPECT_TRUE(writer.wait());
}

TEST(Writer, KeepsTheLastAndTheBest) {
  const TemporaryFolder run;
  Writer writer(run.path(), {.keep_last = 2, .keep_best = "fid50k"});
  write_measured(writer, "fid50k", {9, 5, 8, 7, 6});
  EXPECT_EQ(names(run / "checkpoints"),
            (std::vector<std::string>{"kimg-000002", "kimg-000004", "kimg-000005"}));
}

TEST(Writer, KeepsAsManyOfTheBestAsItIsTold) {
  const TemporaryFolder run;
  Writer writer(run.path(), {.keep_last = 1, .keep_best = "is10k", .keep_best_count = 2});
  write_measured(writer, "is10k", {2, 5, 3, 4, 1});
  EXPECT_EQ(names(run / "checkpoints"),
            (std::vector<std::string>{"kimg-000002", "kimg-000004", "kimg-000005"}));
}

TEST(Writer, KeepsTheBestByWhatIsMeasuredLater) {
  const TemporaryFolder run;
  Writer writer(run.path(), {.keep_last = 1, .keep_best = "fid50k"});
  const std::vector<double> fid{9, 5, 8};
  for (int i = 1; i <= 3; ++i) {
    writer.write(make_snapshot(i * 1'000, i));
    writer.add_metrics(i * 1'000, {{"fid50k", fid[i - 1]}, {"fid50k_by_label", std::nan("")}});
  }
  writer.add_metrics(3'500, {{"fid50k", 1}});  // no checkpoint was written then
  EXPECT_EQ(names(run / "checkpoints"), (std::vector<std::string>{"kimg-000002", "kimg-000003"}));
  const auto best = load_checkpoint(run / "checkpoints/kimg-000002");
  EXPECT_EQ(best.metrics, (std::map<std::string, double>{{"fid50k", 5}}));
}

TEST(Writer, DeletesAtOnceWhatAMeasurementMakesSuperfluous) {
  const TemporaryFolder run;
  Writer writer(run.path(), {.keep_last = 1, .keep_best = "fid50k"});
  write_measured(writer, "fid50k", {9});
  writer.write(make_snapshot(2'000, 2.0));
  EXPECT_TRUE(writer.wait());
  EXPECT_EQ(names(run / "checkpoints"), (std::vector<std::string>{"kimg-000001", "kimg-000002"}));
  writer.add_metrics(2'000, {{"fid50k", 5}});
  EXPECT_EQ(names(run / "checkpoints"), std::vector<std::string>{"kimg-000002"});
}

TEST(Writer, RemovesWhatAKilledRunLeft) {
  const TemporaryFolder run;
  fs::create_directories(run / "checkpoints/.tmp-kimg-000007");
  std::ofstream(run / "checkpoints/.tmp-kimg-000007/generator.safetensors") << "half of it";
  const Writer writer(run.path(), {});
  EXPECT_EQ(names(run / "checkpoints"), std::vector<std::string>{});
}

TEST(Writer, WritesNothingOnceForbidden) {
  const TemporaryFolder run;
  int asked = 0;
  Writer writer(run.path(), {}, [&] {
    if (++asked > 3) throw PeerLost("taken over");  // twice for each checkpoint
  });
  writer.write(make_snapshot(1'000, 1.0));
  EXPECT_TRUE(writer.wait());
  EXPECT_FALSE(writer.has_failed());
  writer.write(make_snapshot(2'000, 1.0));
  EXPECT_THROW(writer.wait(), PeerLost);
  EXPECT_TRUE(writer.has_failed());
  EXPECT_THROW(writer.write(make_snapshot(3'000, 1.0)), PeerLost);
  EXPECT_EQ(names(run.path() / "checkpoints"), std::vector<std::string>{"kimg-000001"});
}

TEST(Writer, AddsNoMetricsOnceForbidden) {
  const TemporaryFolder run;
  bool is_taken = false;
  Writer writer(run.path(), {}, [&] {
    if (is_taken) throw PeerLost("taken over");
  });
  writer.write(make_snapshot(1'000, 1.0));
  EXPECT_TRUE(writer.wait());
  is_taken = true;
  EXPECT_THROW(writer.add_metrics(1'000, {{"fid50k", 1}}), PeerLost);
  EXPECT_TRUE(load_checkpoint(run / "checkpoints/kimg-000001").metrics.empty());
}

// As where the storage fails for a moment.
TEST(Writer, WarnsIfItCannotTellWhetherItMayAddMetrics) {
  const TemporaryFolder run;
  bool is_away = false;
  Writer writer(run.path(), {}, [&] {
    if (is_away) throw DataError("can't read: lock");
  });
  writer.write(make_snapshot(1'000, 1.0));
  EXPECT_TRUE(writer.wait());
  is_away = true;
  testing::internal::CaptureStderr();
  EXPECT_NO_THROW(writer.add_metrics(1'000, {{"fid50k", 1}}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("Could not add metrics to a checkpoint  reason=can't read: lock"));
  EXPECT_TRUE(load_checkpoint(run / "checkpoints/kimg-000001").metrics.empty());
  EXPECT_FALSE(writer.has_failed());
}

TEST(Writer, IsBusyUntilACheckpointIsWritten) {
  const TemporaryFolder run;
  std::promise<void> storage;
  Writer writer(run.path(), {}, [answers = storage.get_future().share()] { answers.wait(); });
  EXPECT_FALSE(writer.is_busy());
  writer.write(make_snapshot(1'000, 1.0));
  EXPECT_TRUE(writer.is_busy());
  storage.set_value();
  EXPECT_TRUE(writer.wait());
  EXPECT_FALSE(writer.is_busy());
}

TEST(Writer, AbandonsAWriteWhenItIsDestroyed) {
  const TemporaryFolder run;
  {
    Writer writer(run.path(), {});
    writer.write(make_snapshot(1'000, 1.0));
    writer.wait();
    writer.write(make_snapshot(2'000, 2.0, /*extent=*/1'000'000));
  }
  for (const auto& info : list_checkpoints(run.path())) EXPECT_EQ(info.defect, "");
  EXPECT_EQ(names(run / "checkpoints").front(), "kimg-000001");
}

TEST(Writer, ShowsItsStatusToOtherThreads) {
  const TemporaryFolder run;
  Writer writer(run.path(), {});
  std::jthread reader([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) EXPECT_EQ(writer.status().failed_count, 0);
  });
  for (int i = 1; i <= 3; ++i) {
    writer.write(make_snapshot(i * 1'000, i));
    writer.throw_if_failed();
  }
  EXPECT_TRUE(writer.wait());
  EXPECT_EQ(writer.status().last_images_seen, 3'000);
}

TEST(Writer, RemovesWhatAFailedDeletionLeft) {
  const TemporaryFolder run;
  Writer writer(run.path(), {});
  fs::create_directories(run / "checkpoints/.tmp-kimg-000009-deleted/more");
  writer.write(make_snapshot(1'000, 1.0));
  EXPECT_TRUE(writer.wait());
  EXPECT_EQ(names(run / "checkpoints"), std::vector<std::string>{"kimg-000001"});
}

// A manifest that can be opened but not read, as where the storage fails.
TEST(Writer, DeletesNoCheckpointThatMayStillBeValid) {
  const TemporaryFolder run;
  Writer writer(run.path(), {.keep_last = 1});
  writer.write(make_snapshot(1'000, 1.0));
  EXPECT_TRUE(writer.wait());
  const auto manifest = run / "checkpoints/kimg-000001/manifest.json";
  fs::remove(manifest);
  fs::create_directory(manifest);
  writer.write(make_snapshot(2'000, 2.0));
  EXPECT_TRUE(writer.wait());
  EXPECT_EQ(names(run / "checkpoints"), (std::vector<std::string>{"kimg-000001", "kimg-000002"}));
}

/// Writes a checkpoint as an earlier process, with this fid50k, which then loses a bit.
void write_corrupt(const TemporaryFolder& run, std::int64_t images_seen, double fid) {
  auto snapshot = make_snapshot(images_seen, 1.0);
  snapshot.metrics = {{"fid50k", fid}};
  write_checkpoint(run.path(), snapshot);
  const auto file =
      run.path() / "checkpoints" / checkpoint_name(images_seen) / "generator.safetensors";
  flip_a_bit(file, static_cast<std::int64_t>(fs::file_size(file)) - 1);
}

TEST(Writer, KeepsAValidCheckpointRatherThanANewerCorruptOne) {
  const TemporaryFolder run;
  write_checkpoint(run.path(), make_snapshot(1'000, 1.0));
  write_corrupt(run, 3'000, /*fid=*/9);
  Writer writer(run.path(), {.keep_last = 1});
  writer.write(make_snapshot(2'000, 2.0));
  EXPECT_TRUE(writer.wait());
  EXPECT_EQ(names(run / "checkpoints"), (std::vector<std::string>{"kimg-000002", "kimg-000003"}));
  expect_equal(load_checkpoint(run / "checkpoints/kimg-000002"), make_snapshot(2'000, 2.0));
  writer.write(make_snapshot(4'000, 4.0));
  EXPECT_TRUE(writer.wait());
  EXPECT_EQ(names(run / "checkpoints"), std::vector<std::string>{"kimg-000004"});
}

TEST(Writer, CountsACorruptCheckpointAmongNeitherTheLastNorTheBest) {
  const TemporaryFolder run;
  auto best = make_snapshot(1'000, 1.0);
  best.metrics = {{"fid50k", 5}};
  write_checkpoint(run.path(), best);
  write_checkpoint(run.path(), make_snapshot(2'000, 2.0));
  write_corrupt(run, 3'000, /*fid=*/3);
  Writer writer(run.path(), {.keep_last = 2, .keep_best = "fid50k"});
  writer.write(make_snapshot(4'000, 4.0));
  EXPECT_TRUE(writer.wait());
  EXPECT_EQ(names(run / "checkpoints"),
            (std::vector<std::string>{"kimg-000001", "kimg-000002", "kimg-000004"}));
}

TEST(Writer, ReadsNoOldCheckpointIfItKeepsAll) {
  const TemporaryFolder run;
  write_corrupt(run, 1'000, /*fid=*/9);
  Writer writer(run.path(), {.keep_last = 0});
  writer.write(make_snapshot(2'000, 2.0));
  EXPECT_TRUE(writer.wait());
  EXPECT_EQ(names(run / "checkpoints"), (std::vector<std::string>{"kimg-000001", "kimg-000002"}));
}

// As if an earlier process had resumed elsewhere: the metrics were of its weights.
TEST(Writer, ReplacesACheckpointOfAnotherProcess) {
  const TemporaryFolder run;
  auto other = make_snapshot(2'000, 1.0);
  other.metrics = {{"fid50k", 5}};
  write_checkpoint(run.path(), other);
  Writer writer(run.path(), {});
  writer.write(make_snapshot(2'000, 2.0));
  EXPECT_TRUE(writer.wait());
  EXPECT_EQ(names(run / "checkpoints"), std::vector<std::string>{"kimg-000002"});
  expect_equal(load_checkpoint(run / "checkpoints/kimg-000002"), make_snapshot(2'000, 2.0));
}

// A disk with room for three checkpoints, all of which are taken.
TEST(Writer, DeletesWhatItDoesNotKeepBeforeItRetries) {
  const TemporaryFolder run;
  for (int i = 1; i <= 3; ++i) write_checkpoint(run.path(), make_snapshot(i * 1'000, i));
  Writer writer(run.path(), {.keep_last = 1}, [&] {
    if (names(run / "checkpoints").size() > 3) throw DataError("No space left on device");
  });
  writer.write(make_snapshot(4'000, 4.0));
  EXPECT_TRUE(writer.wait());
  EXPECT_EQ(writer.status().failed_count, 0);
  EXPECT_EQ(names(run / "checkpoints"), std::vector<std::string>{"kimg-000004"});
}

TEST(Writer, RetriesAfterATransientError) {
  const TemporaryFolder run;
  int asked = 0;
  Writer writer(run.path(), {.on_error = OnError::kStop}, [&] {
    if (++asked == 1) throw DataError("Input/output error");
  });
  writer.write(make_snapshot(1'000, 1.0));
  EXPECT_TRUE(writer.wait());
  EXPECT_EQ(writer.status().written_count, 1);
  EXPECT_EQ(writer.status().failed_count, 0);
}

}  // namespace
}  // namespace ganscale::checkpoint
