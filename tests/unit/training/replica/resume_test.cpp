#include "training/replica/resume.h"

#include <ATen/ATen.h>

#include <chrono>
#include <thread>

#include "checkpoint/write_checkpoint.h"
#include "comm/backends/thread_group.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "training/replica/run_snapshot.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

class Resume : public testing::Test {
 protected:
  Resume() { config_.model.channels = 1; }

  /// Writes a checkpoint of a replica whose generator is this number everywhere.
  void write(const RunFolder& folder, std::int64_t images_seen, double number) const {
    Replica replica(config_, at::kCPU, {});
    fill(replica, number);
    const Progress progress{.images_seen = images_seen,
                            .step = 3,
                            .stream_position = images_seen + 1,
                            .tick = 5,
                            .trained_seconds = 1.5,
                            .nonfinite_steps = 7,
                            .recent_nonfinite_steps = {1, 2},
                            .device_seconds = device_seconds_};
    checkpoint::write_checkpoint(folder.root(), make_snapshot(replica.state(), facts_, progress));
  }

  static void fill(Replica& replica, double number) {
    const at::NoGradGuard no_grad;
    for (const auto& [name, parameter] : named_parameters(replica.generator())) {
      parameter.fill_(number);
    }
  }

  static double number_in(Replica& replica) {
    return named_parameters(replica.generator()).begin()->second.max().item<double>();
  }

  const TemporaryFolder folder_;
  const RunFolder run_{folder_ / "r1"};
  const RunFacts facts_{.model = "dcgan", .record_count = 70, .channels = 1};
  const std::string no_weights_;
  std::optional<double> device_seconds_ = 6.5;
  RunConfig config_ = parse("model: {z_dim: 4, channels: 0.125}");
};

TEST_F(Resume, ContinuesFromTheNewestCheckpoint) {
  write(run_, 1000, 1);
  write(run_, 2000, 2);
  Replica replica(config_, at::kCPU, {});
  const Progress progress =
      resume(replica, {run_, facts_, no_weights_}, *comm::make_single_group());
  EXPECT_EQ(number_in(replica), 2);
  EXPECT_EQ(progress.images_seen, 2000);
  EXPECT_EQ(progress.stream_position, 2001);
  EXPECT_EQ(progress.step, 3);
  EXPECT_EQ(progress.tick, 5);
  EXPECT_EQ(progress.trained_seconds, 1.5);
  EXPECT_EQ(progress.nonfinite_steps, 7);
  EXPECT_EQ(progress.device_seconds, 6.5);
}

// As in a checkpoint of a version that did not count it.
TEST_F(Resume, MayNotKnowTheTimeOfTheDevices) {
  device_seconds_.reset();
  write(run_, 1000, 1);
  comm::run_ranks(2, [&](comm::Group& group) {
    Replica replica(config_, at::kCPU, {});
    EXPECT_EQ(resume(replica, {run_, facts_, no_weights_}, group).device_seconds, std::nullopt);
  });
}

TEST_F(Resume, GivesEveryRankTheProgressOfTheFirst) {
  write(run_, 2000, 2);
  comm::run_ranks(3, [&](comm::Group& group) {
    Replica replica(config_, at::kCPU, {});
    fill(replica, 9);
    const Progress progress = resume(replica, {run_, facts_, no_weights_}, group);
    EXPECT_EQ(progress.images_seen, 2000);
    EXPECT_EQ(progress.trained_seconds, 1.5);
    EXPECT_EQ(progress.device_seconds, 6.5);
    EXPECT_EQ(progress.recent_nonfinite_steps, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(number_in(replica), group.rank() == 0 ? 2 : 9) << "the first rank alone reads";
  });
}

TEST_F(Resume, WaitsForTheFirstRankLongerThanTheTimeout) {
  write(run_, 2000, 2);
  using std::chrono::milliseconds;
  const auto resume_rank = [&](comm::Group& group) {
    Replica replica(config_, at::kCPU, {});
    if (group.rank() == 0) std::this_thread::sleep_for(milliseconds(1000));  // slow storage
    EXPECT_EQ(resume(replica, {run_, facts_, no_weights_}, group).images_seen, 2000);
  };
  EXPECT_NO_THROW(comm::run_ranks(2, resume_rank, milliseconds(500)));
}

TEST_F(Resume, EndsWithTheErrorOfTheFirstRank) {
  write(run_, 1000, 1);
  RunFacts other_facts = facts_;
  other_facts.record_count = 71;
  expect_error(ExitCode::kConfig, "different number of records", [&] {
    comm::run_ranks(2, [&](comm::Group& group) {
      Replica replica(config_, at::kCPU, {});
      resume(replica, {run_, other_facts, no_weights_}, group);
    });
  });
}

TEST_F(Resume, OfANewRunBeginsAtTheBeginning) {
  Replica replica(config_, at::kCPU, {});
  const Progress progress =
      resume(replica, {run_, facts_, no_weights_}, *comm::make_single_group());
  EXPECT_EQ(progress.images_seen, 0);
  EXPECT_EQ(progress.step, 0);
}

TEST_F(Resume, OfANewRunMayTakeTheWeightsOfAnother) {
  const RunFolder other(folder_ / "other");
  write(other, 3000, 4);
  const std::string weights = other.root();
  Replica replica(config_, at::kCPU, {});
  const Progress progress = resume(replica, {run_, facts_, weights}, *comm::make_single_group());
  EXPECT_EQ(number_in(replica), 4);
  EXPECT_EQ(progress.images_seen, 0) << "it is a run of its own";
}

TEST_F(Resume, PrefersItsOwnCheckpointToTheWeightsOfAnother) {
  const RunFolder other(folder_ / "other");
  write(other, 3000, 4);
  write(run_, 1000, 1);
  const std::string weights = other.root();
  Replica replica(config_, at::kCPU, {});
  resume(replica, {run_, facts_, weights}, *comm::make_single_group());
  EXPECT_EQ(number_in(replica), 1);
}

TEST_F(Resume, NamesTheChangeIfTheStateDoesNotFit) {
  write(run_, 1000, 1);
  run_.write_config(config_.resolved, checkpoint::OnError::kStop);
  RunConfig changed = parse("model: {z_dim: 6, channels: 0.125}");
  changed.model.channels = config_.model.channels;
  Replica replica(changed, at::kCPU, {});
  expect_error(
      ExitCode::kConfig,
      "has a tensor of another shape: l1.0.weight: [1024, 4], expected [1024, 6]; since that "
      "checkpoint, the configuration has changed: model.z_dim: 4 -> 6; change it back, or choose a "
      "new folder with --run",
      [&] {
        resume(replica, {run_, facts_, no_weights_, changed.resolved}, *comm::make_single_group());
      });
}

// They have the shape of those in the checkpoint.
TEST_F(Resume, NamesTheChangeThatMakesOtherFilters) {
  const auto with_filters = [](const std::string& first_cutoff) {
    RunConfig config = parse(
        "model: {name: stylegan3, resolution: 16, z_dim: 4, w_dim: 4, channel_base: 256, "
        "channel_max: 16, layers: 6, margin: 4, first_cutoff: " +
        first_cutoff + "}");
    config.model.channels = 1;
    return config;
  };
  config_ = with_filters("2.1");
  write(run_, 1000, 1);
  run_.write_config(config_.resolved, checkpoint::OnError::kStop);
  const RunConfig changed = with_filters("2.2");
  Replica replica(changed, at::kCPU, {});
  expect_error(
      ExitCode::kConfig, "the configuration has changed: model.first_cutoff: 2.1 -> 2.2", [&] {
        resume(replica, {run_, facts_, no_weights_, changed.resolved}, *comm::make_single_group());
      });
}

TEST_F(Resume, RefusesOtherData) {
  write(run_, 1000, 1);
  Replica replica(config_, at::kCPU, {});
  RunFacts facts = facts_;
  facts.record_count = 71;
  expect_error(ExitCode::kConfig, "different number of records",
               [&] { resume(replica, {run_, facts, no_weights_}, *comm::make_single_group()); });
}

}  // namespace
}  // namespace ganscale::training
