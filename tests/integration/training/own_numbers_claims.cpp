#include "integration/training/own_numbers_claims.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "integration/training/trainee.h"
#include "training/bench/synthetic_dataset.h"
#include "training/replica/replica.h"

namespace ganscale::training {
namespace {

constexpr std::int64_t kRecords = 24;
constexpr int kSteps = 10;  // of eight images: three epochs and more

/// Remembers which records are read.
class RememberingSource : public data::Source {
 public:
  explicit RememberingSource(std::unique_ptr<data::Source> all) : all_(std::move(all)) {}

  std::int64_t record_count() const override { return kRecords; }
  std::int64_t label_count() const override { return 0; }
  std::int64_t label(std::int64_t /*index*/) const override { return -1; }
  std::string describe(std::int64_t index) const override { return all_->describe(index); }
  void read(std::int64_t index, data::Record& record) const override {
    all_->read(index, record);
    const std::scoped_lock lock(mutex_);
    read_.insert(index);
  }
  std::set<std::int64_t> read_records() const {
    const std::scoped_lock lock(mutex_);
    return read_;
  }

 private:
  std::unique_ptr<data::Source> all_;
  mutable std::mutex mutex_;
  mutable std::set<std::int64_t> read_;
};

/// Two images a rank on four ranks, in a group of their own.
RunConfig make_own_numbers_config() {
  RunConfig config = make_stylegan2_config(", mbstd: local, mbstd_group: 2", Precision::kFp32);
  config.training.seed = 1000;
  config.training.seed_mode = SeedMode::kRank;
  config.training.running_means = RunningMeans::kLocal;
  config.data.shard = data::Sharding::kFixed;
  return config;
}

/// A rank that reads its shard, as a run does.
class OwnNumbers {
 public:
  explicit OwnNumbers(comm::Group& world)
      : dataset_(synthetic_dataset(config_.model)),
        source_(remember()),
        groups_(config_, world),
        replica_(config_, at::kCPU, groups_.borrowed()),
        inputs_(config_, dataset_, at::kCPU, world, {}),
        trainer_(config_, replica_, inputs_, world) {}

  void train() {
    Progress progress;
    while (progress.step < kSteps) EXPECT_TRUE(trainer_.step(progress).skipped.empty());
  }
  Replica& replica() { return replica_; }
  std::set<std::int64_t> read_records() const { return source_->read_records(); }

 private:
  const RememberingSource* remember() {
    auto source = std::make_unique<RememberingSource>(std::move(dataset_.source));
    const RememberingSource* borrowed = source.get();
    dataset_.source = std::move(source);
    dataset_.facts.record_count = kRecords;
    return borrowed;
  }

  const RunConfig config_ = make_own_numbers_config();
  Dataset dataset_;
  const RememberingSource* source_;
  NetworkGroups groups_;
  Replica replica_;
  LoadedInputs inputs_;
  Synchronous trainer_;
};

/// Gradients are averaged, so weights are the same on all ranks; what follows from a rank's own
/// latents is not.
void weights_are_shared_and_running_means_are_not(comm::Group& group) {
  OwnNumbers rank(group);
  const auto untrained = named_parameters(rank.replica().generator()).begin()->second.clone();
  rank.train();
  EXPECT_FALSE(at::equal(named_parameters(rank.replica().generator()).begin()->second, untrained));
  const std::set<std::string> own = {"mapping.w_avg", "path_length_mean"};
  for (const auto& [file, tensors] : rank.replica().state()) {
    for (const auto& [name, tensor] : tensors) {
      EXPECT_TRUE(at::isfinite(tensor).all().item<bool>()) << file << ": " << name;
      const auto all = group.all_gather(tensor.detach().contiguous());
      for (int other = 1; other < group.size(); ++other)
        EXPECT_EQ(at::equal(all[0], all[other]), !own.contains(name)) << file << ": " << name;
    }
  }
}

void each_rank_reads_every_nth_record(comm::Group& group) {
  OwnNumbers rank(group);
  rank.train();
  const auto read = rank.read_records();
  EXPECT_EQ(read.size(), kRecords / group.size());  // all of its shard, in each epoch
  for (const std::int64_t record : read) EXPECT_EQ(record % group.size(), group.rank());
}

}  // namespace

std::vector<comm::GroupClaim> own_numbers_claims() {
  return {{"WeightsAreSharedAndRunningMeansAreNot", weights_are_shared_and_running_means_are_not},
          {"EachRankReadsEveryNthRecord", each_rank_reads_every_nth_record}};
}

}  // namespace ganscale::training
