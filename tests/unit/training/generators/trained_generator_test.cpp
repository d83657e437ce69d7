#include "training/generators/trained_generator.h"

#include <ATen/ATen.h>

#include "checkpoint/reader.h"
#include "checkpoint/write_checkpoint.h"
#include "comm/backends/thread_group.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "training/replica/run_snapshot.h"
#include "training/run/run_folder.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

constexpr const char* kYaml =
    "model: {name: conditional_dcgan, z_dim: 4}\n"
    "generator: {ema_kimg: 10, other_ema_kimg: [2]}\n";

/// A run of a model with two labels, with a checkpoint at each of these numbers of images; the
/// average of the generator is that number everywhere, and the other one its half.
class TrainedGenerators : public testing::Test {
 protected:
  TrainedGenerators() {
    config_ = parse(kYaml);
    config_.model.channels = 1;
    config_.model.label_count = 2;
    run_.create();
    run_.write_config(config_.resolved, checkpoint::OnError::kStop);
  }

  std::filesystem::path write_checkpoint(std::int64_t images_seen) const {
    Replica replica(config_, at::kCPU, {});
    const at::NoGradGuard no_grad;
    for (auto& parameter : replica.generator_ema().parameters()) {
      parameter.fill_(static_cast<double>(images_seen));
    }
    for (auto& parameter : replica.average().others().front().generator->parameters()) {
      parameter.fill_(static_cast<double>(images_seen) / 2);
    }
    const RunFacts facts{.model = "conditional_dcgan",
                         .record_count = 9,
                         .label_count = 2,
                         .channels = 1,
                         .label_probabilities = {0.25, 0.75}};
    checkpoint::write_checkpoint(
        run_.root(), make_snapshot(replica.state(), facts, {.images_seen = images_seen}));
    return checkpoint::list_checkpoints(run_.root()).back().folder;
  }

  static double weight_of(const TrainedGenerator& trained) {
    return trained.generator->parameters().front().max().item<double>();
  }

  const TemporaryFolder folder_;
  const RunFolder run_{folder_ / "r1"};
  RunConfig config_;
};

TEST_F(TrainedGenerators, IsTheAverageOfTheNewestCheckpoint) {
  write_checkpoint(1000);
  const auto newest = write_checkpoint(2000);
  const auto trained = load_newest_generator(run_.root());
  EXPECT_EQ(weight_of(trained), 2000);
  EXPECT_EQ(trained.images_seen, 2000);
  EXPECT_EQ(trained.checkpoint, newest);
  EXPECT_EQ(trained.run, std::filesystem::absolute(run_.root()));
}

TEST_F(TrainedGenerators, HasTheShapeOfTheData) {
  write_checkpoint(1000);
  const auto trained = load_newest_generator(run_.root());
  EXPECT_EQ(trained.config.model.channels, 1);
  EXPECT_EQ(trained.config.model.label_count, 2);
  EXPECT_EQ(trained.generator->label_count(), 2);
  EXPECT_EQ(trained.label_probabilities, (std::vector<double>{0.25, 0.75}));
}

TEST_F(TrainedGenerators, IsInEvalModeWithoutGradients) {
  write_checkpoint(1000);
  const auto trained = load_newest_generator(run_.root());
  EXPECT_FALSE(trained.generator->is_training());
  for (const auto& parameter : trained.generator->parameters()) {
    EXPECT_FALSE(parameter.requires_grad());
  }
}

TEST_F(TrainedGenerators, MayBeOfAnOlderCheckpoint) {
  const auto older = write_checkpoint(1000);
  write_checkpoint(2000);
  EXPECT_EQ(weight_of(load_generator(older)), 1000);
}

TEST_F(TrainedGenerators, MayBeNamedByAPathThatEndsWithASlash) {
  const auto trained = load_generator(write_checkpoint(1000) / "");
  EXPECT_EQ(weight_of(trained), 1000);
  EXPECT_EQ(trained.run, std::filesystem::absolute(run_.root()));
}

TEST_F(TrainedGenerators, MayBeAnotherAverage) {
  write_checkpoint(1000);
  EXPECT_EQ(weight_of(load_newest_generator(run_.root(), 2)), 500);
  EXPECT_EQ(weight_of(load_newest_generator(run_.root(), 10)), 1000);
}

TEST_F(TrainedGenerators, SaysWhichAveragesThereAre) {
  write_checkpoint(1000);
  expect_error(ExitCode::kConfig, "no average has a half-life of 3 kimg; the run has: 10, 2",
               [&] { load_newest_generator(run_.root(), 3); });
}

TEST_F(TrainedGenerators, SkipsADamagedCheckpoint) {
  write_checkpoint(1000);
  const auto newest = write_checkpoint(2000);
  std::filesystem::resize_file(newest / "generator_ema.safetensors", 100);
  EXPECT_EQ(weight_of(load_newest_generator(run_.root())), 1000);
}

// Rank 1 looks for the newest checkpoint later than rank 0.
TEST_F(TrainedGenerators, IsOfTheCheckpointThatRank0Found) {
  const auto older = write_checkpoint(1000);
  const auto newer = write_checkpoint(2000);
  comm::run_ranks(3, [&](comm::Group& group) {
    auto own = load_generator(group.rank() == 1 ? newer : older, 2);
    const auto shared = generator_of_rank_0(group, std::move(own), 2);
    EXPECT_EQ(shared.checkpoint, older);
    EXPECT_EQ(shared.images_seen, 1000);
    EXPECT_EQ(weight_of(shared), 500) << "the other average";
  });
}

TEST_F(TrainedGenerators, ReportsARunWithoutACheckpoint) {
  expect_error(ExitCode::kData, "no checkpoint in this run folder; train first",
               [&] { load_newest_generator(run_.root()); });
  expect_error(ExitCode::kData, "nowhere", [] { load_newest_generator("nowhere"); });
}

TEST_F(TrainedGenerators, SaysWhatToDoWithWhatIsNotARun) {
  for (const std::string& path : {folder_.write("ffhq.pkl", "weights").string(),
                                  std::string("https://weights.example/ffhq.pkl")}) {
    expect_error(ExitCode::kData, "ganscale import --from FILE --run DIR: " + path,
                 [&] { load_newest_generator(path); });
  }
  const auto checkpoint = write_checkpoint(1000);
  expect_error(ExitCode::kData, "pass it with --checkpoint, or pass the run's folder",
               [&] { load_newest_generator(checkpoint); });
}

TEST_F(TrainedGenerators, SaysThatTheConfigurationIsBroken) {
  write_checkpoint(1000);
  folder_.write("r1/config.yaml", "model: {name: dcgam}\n");
  expect_error(ExitCode::kConfig, "config.yaml:1: model.name",
               [&] { load_newest_generator(run_.root()); });
}

}  // namespace
}  // namespace ganscale::training
