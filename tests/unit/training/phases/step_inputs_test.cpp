#include "training/phases/step_inputs.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <atomic>

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/training/fake_dataset.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

constexpr std::int64_t kStreamRecords = 8;
constexpr int kBatch = 4;

RunConfig run_with(const std::string& more_of_training = "", const std::string& data = "") {
  return parse("training: {batch: 4, seed: 7" + more_of_training + "}\ndata: {shuffle: false" +
               data + "}\n");
}

/// Returns the numbers of records whose images are these: each lies in the middle of black.
std::vector<std::int64_t> records_of(const at::Tensor& images) {
  std::vector<std::int64_t> numbers;
  for (const at::Tensor& image : images.unbind()) {
    const at::Tensor pixel = image[0][15][15].to(at::kDouble).add(1).mul(127.5).round();
    numbers.push_back(pixel.item<std::int64_t>());
  }
  return numbers;
}

using Numbers = std::vector<std::int64_t>;

TEST(LoadedInputs, AreTheBatchesOfTheStreamOneAfterAnother) {
  const auto run = run_with();
  const auto dataset = fake_dataset(std::make_unique<data::FakeSource>(kStreamRecords));
  const auto alone = comm::make_single_group();
  Progress progress;
  LoadedInputs inputs(run, dataset, at::kCPU, *alone, progress);
  const StepInput first = inputs.next(progress);
  EXPECT_EQ(first.real.images.sizes(), at::IntArrayRef({kBatch, 1, 32, 32}));
  EXPECT_EQ(first.real.images.scalar_type(), at::kFloat);
  EXPECT_FALSE(first.real.labels.defined());
  EXPECT_EQ(records_of(first.real.images), (Numbers{0, 1, 2, 3}));
  progress.add_step(kBatch);
  EXPECT_EQ(records_of(inputs.next(progress).real.images), (Numbers{4, 5, 6, 7}));
}

TEST(LoadedInputs, ResumeWhereTheRunStopped) {
  const auto run = run_with();
  const auto dataset = fake_dataset(std::make_unique<data::FakeSource>(kStreamRecords));
  const auto alone = comm::make_single_group();
  const Progress progress{.images_seen = 100, .stream_position = 6};
  LoadedInputs inputs(run, dataset, at::kCPU, *alone, progress);
  const StepInput input = inputs.next(progress);
  EXPECT_EQ(records_of(input.real.images), (Numbers{6, 7, 0, 1}));
  EXPECT_EQ(input.images.first_image, 100);
}

TEST(LoadedInputs, AreSharedByTheRanksOfABatch) {
  const auto run = run_with();
  const auto dataset = fake_dataset(std::make_unique<data::FakeSource>(kStreamRecords));
  comm::run_ranks(2, [&](comm::Group& group) {
    LoadedInputs inputs(run, dataset, at::kCPU, group, {});
    const StepInput input = inputs.next({.images_seen = 8});
    EXPECT_EQ(records_of(input.real.images), group.rank() == 0 ? (Numbers{0, 2}) : (Numbers{1, 3}));
    EXPECT_EQ(input.images.seed, 7);
    EXPECT_EQ(input.images.first_image, 8 + group.rank());
    EXPECT_EQ(input.images.image_stride, 2);
  });
}

TEST(LoadedInputs, MayDrawByTheRankInPlaceOfTheImage) {
  const auto run = run_with(", seed_mode: rank");
  const auto dataset = fake_dataset(std::make_unique<data::FakeSource>(kStreamRecords));
  comm::run_ranks(2, [&](comm::Group& group) {
    LoadedInputs inputs(run, dataset, at::kCPU, group, {});
    const StepInput input = inputs.next({.images_seen = 8});
    EXPECT_EQ(input.images.seed, 7 + static_cast<std::uint64_t>(group.rank()));
    EXPECT_EQ(input.images.first_image, 4);
    EXPECT_EQ(input.images.image_stride, 1);
  });
}

TEST(LoadedInputs, AreOfThePrecisionOfTheRun) {
  const auto run = run_with(", precision: fp64");
  const auto dataset = fake_dataset(std::make_unique<data::FakeSource>(kStreamRecords));
  const auto alone = comm::make_single_group();
  LoadedInputs inputs(run, dataset, at::kCPU, *alone, {});
  EXPECT_EQ(inputs.next({}).real.images.scalar_type(), at::kDouble);
  EXPECT_NE(inputs.loader(), nullptr);
}

TEST(LoadedInputs, CarryTheLabelsThatTheModelTakes) {
  auto run = run_with();
  run.model.label_count = 3;
  const auto dataset = fake_dataset(std::make_unique<data::FakeSource>(kStreamRecords, 3));
  const auto alone = comm::make_single_group();
  LoadedInputs inputs(run, dataset, at::kCPU, *alone, {});
  EXPECT_TRUE(at::equal(inputs.next({}).real.labels, at::arange(kBatch).remainder(3)));
}

TEST(LoadedInputs, OfFixedShardsReadEachRecordFromStorageOnce) {
  const TemporaryFolder folder;
  const auto run = run_with("", ", shard: fixed, cache: {folder: " + folder.path().string() +
                                    "}, reader_threads: 1, prefetch: {congestion_aware: false}");
  auto source = std::make_unique<data::FakeSource>(kStreamRecords);
  std::atomic<int> reads = 0;
  source->on_read = [&](std::int64_t) { ++reads; };
  const auto dataset = fake_dataset(std::move(source));
  comm::run_ranks(2, [&](comm::Group& group) {
    LoadedInputs inputs(run, dataset, at::kCPU, group, {});
    Numbers all;
    for (int step = 0; step < 20; ++step) {
      for (const auto number : records_of(inputs.next({}).real.images)) all.push_back(number);
    }
    const int rank = group.rank();
    EXPECT_EQ((Numbers{all.begin(), all.begin() + 4}),
              (Numbers{rank, 2 + rank, 4 + rank, 6 + rank}));
    EXPECT_TRUE(std::ranges::all_of(all, [&](auto number) { return number % 2 == rank; }));
    EXPECT_GT(inputs.loader()->readings().source.cached_reads, 0);
  });
  EXPECT_EQ(reads, kStreamRecords);
}

// Rank 1 of 2 has the second and the fourth of the images 6, 7, 0, 1.
TEST(LabelInputs, AreTheLabelsOfTheImagesThatOtherRanksLoad) {
  auto run = run_with();
  run.model.label_count = 3;
  const auto dataset = fake_dataset(std::make_unique<data::FakeSource>(kStreamRecords, 3));
  comm::run_ranks(2, [&](comm::Group& group) {
    LabelInputs labels(run, dataset, at::kCPU, group, group.size());
    const Progress progress{.images_seen = 100, .stream_position = 6};
    LoadedInputs loaded(run, dataset, at::kCPU, group, progress);
    const StepInput input = labels.next(progress);
    const StepInput expected = loaded.next(progress);
    EXPECT_FALSE(input.real.images.defined());
    EXPECT_TRUE(at::equal(input.real.labels, expected.real.labels));
    EXPECT_TRUE(at::equal(input.real.labels,
                          group.rank() == 0 ? at::tensor({0L, 0L}) : at::tensor({1L, 1L})));
    EXPECT_EQ(input.images.first_image, expected.images.first_image);
    EXPECT_EQ(input.images.image_stride, expected.images.image_stride);
  });
}

// Of seven records, the first of two ranks has four: its images 7 and 9 are the records 6 and 0.
// The images 8 and 10 of the second rank are 3 and 5.
TEST(LabelInputs, OfFixedShardsAreThoseOfTheRanksThatLoadTheImages) {
  auto run = run_with("", ", shard: fixed");
  run.model.label_count = 3;
  const auto dataset = fake_dataset(std::make_unique<data::FakeSource>(7, 3));
  const Progress progress{.stream_position = 7};
  const auto alone = comm::make_single_group();
  const at::Tensor labels =
      LabelInputs(run, dataset, at::kCPU, *alone, /*loaders=*/2).next(progress).real.labels;
  EXPECT_TRUE(at::equal(labels, at::tensor({6L % 3, 3L % 3, 0L % 3, 5L % 3})));
  comm::run_ranks(2, [&](comm::Group& group) {
    LoadedInputs loaded(run, dataset, at::kCPU, group, progress);
    const int rank = group.rank();
    EXPECT_TRUE(at::equal(loaded.next(progress).real.labels, labels.slice(0, rank, {}, 2)));
  });
}

TEST(LabelInputs, AreAbsentIfTheModelTakesNoLabels) {
  const auto run = run_with();
  const auto dataset = fake_dataset(std::make_unique<data::FakeSource>(kStreamRecords, 3));
  const auto alone = comm::make_single_group();
  EXPECT_FALSE(LabelInputs(run, dataset, at::kCPU, *alone, 1).next({}).real.labels.defined());
}

TEST(LabelInputs, NameTheRecordWhoseLabelIsUnknown) {
  auto run = run_with();
  run.model.label_count = 2;
  const auto dataset = fake_dataset(std::make_unique<data::FakeSource>(kStreamRecords, 3));
  const auto alone = comm::make_single_group();
  LabelInputs inputs(run, dataset, at::kCPU, *alone, 1);
  expect_error(ExitCode::kData, "label out of range: 2, labels 2: fake, record 2",
               [&] { inputs.next({}); });
}

TEST(LoadedInputs, NameTheRecordThatCannotBeRead) {
  const auto run = run_with();
  auto source = std::make_unique<data::FakeSource>(kStreamRecords);
  source->unreadable = {2};
  const auto dataset = fake_dataset(std::move(source));
  const auto alone = comm::make_single_group();
  LoadedInputs inputs(run, dataset, at::kCPU, *alone, {});
  expect_error(ExitCode::kData, "fake, record 2", [&] { inputs.next({}); });
}

}  // namespace
}  // namespace ganscale::training
