// A scheme of a test's own: a file, late_roles.h, and a line in a table.
#include <ATen/ATen.h>

#include "checkpoint/reader.h"
#include "report/log/stats_log.h"
#include "support/expect_error.h"
#include "training/generators/trained_generator.h"
#include "training/run/parse_run.h"
#include "training/schemes/schemes.h"
#include "unit/training/fake_training.h"
#include "unit/training/same_snapshot.h"
#include "unit/training/schemes/late_roles.h"

namespace ganscale::training {
namespace {

std::vector<SchemeLine> table_with_another() {
  std::vector<SchemeLine> table(schemes().begin(), schemes().end());
  table.push_back(late_roles_scheme());
  return table;
}

class AnotherScheme : public FakeTraining {
 protected:
  AnotherScheme() { configure(8); }

  /// Trains so many steps of four images.
  void configure(int steps) {
    config_ =
        parse_run(config::parse_yaml(
                      "model: {z_dim: 2, channels: 0.125, batch_norm: frozen}\n"
                      "scheme: {name: late_roles, agree_every: 2}\n"
                      "training: {batch: 4, total_kimg: " +
                          std::to_string(0.004 * steps) +
                          ", tick_kimg: 0.008, grid_rows: 1, grid_columns: 2, precision: fp64}\n"
                          "generator: {optimizer: {learning_rate: 0.01}, ema_kimg: 0.01}\n",
                      "run.yaml"),
                  table_);
    config_.model.channels = 1;
  }

  /// Trains on two ranks in a run folder of that name.
  void train(const std::string& run) {
    comm::run_ranks(2, [&](comm::Group& group) {
      const auto train_rank = [&](const TrainingContext& context) {
        const Scheme& scheme = *config_.scheme.chosen;
        scheme.check_ranks(config_, group.size());
        return scheme.run(context);
      };
      EXPECT_EQ(with_context(group, std::make_unique<data::FakeSource>(40), train_rank, run),
                ExitCode::kOk);
    });
  }

  checkpoint::Snapshot newest(const std::string& run) const {
    return checkpoint::load_checkpoint(checkpoint::newest_valid_checkpoint(folder_ / run).value());
  }

  const std::vector<SchemeLine> table_ = table_with_another();
};

TEST_F(AnotherScheme, IsReadCheckedAndDocumentedByItsLine) {
  EXPECT_THAT(config_.resolved, testing::HasSubstr("agree_every: 2"));
  EXPECT_THAT(config_.resolved, testing::HasSubstr("late_roles: a rank a network"));
  expect_error(ExitCode::kConfig, "has two ranks",
               [&] { config_.scheme.chosen->check_ranks(config_, 3); });
  expect_error(ExitCode::kConfig, "scheme.agree_every: must be positive", [&] {
    parse_run(config::parse_yaml("scheme: {agree_every: 0}", "run.yaml"), table_);
  });
}

TEST_F(AnotherScheme, ReportsBothRoles) {
  train("run");
  const auto lines = report::read_json_lines(folder_ / "run/stats.jsonl");
  ASSERT_EQ(lines.size(), 4);
  for (const auto& line : lines) {
    EXPECT_GT(line.at("loss").at("generator").get<double>(), 0);
    EXPECT_GT(line.at("loss").at("discriminator").get<double>(), 0);
    EXPECT_EQ(line.at("steps").at("generator"), 2);
    EXPECT_EQ(line.at("steps").at("discriminator"), 2);
  }
  EXPECT_EQ(lines.back().at("images_seen"), 32);
}

// The discriminator's rank alone has its optimizer, the generator's rank writes.
TEST_F(AnotherScheme, GathersACheckpointOfBothRoles) {
  train("run");
  const auto snapshot = newest("run");
  EXPECT_EQ(snapshot.images_seen, 32);
  for (const auto& [name, tensor] : snapshot.files.at("discriminator_optimizer"))
    EXPECT_GT(tensor.abs().sum().item<double>(), 0) << name;
  EXPECT_EQ(load_newest_generator(folder_ / "run").images_seen, 32);
}

TEST_F(AnotherScheme, ResumesFromACheckpointAsIfItHadNotStopped) {
  train("whole");
  configure(4);
  train("cut");
  configure(8);
  train("cut");
  expect_same(newest("cut"), newest("whole"));
}

/// Expects the parameters of a network of a checkpoint to be these.
void expect_parameters(const NamedTensors& actual, const torch::nn::Module& expected) {
  for (const auto& [name, parameter] : named_parameters(expected))
    EXPECT_TRUE(at::allclose(actual.at(name), parameter, 0, 1e-12)) << name;
}

// In its first step each role works with the other's first weights.
TEST_F(AnotherScheme, IsOneStepLate) {
  config_.training.total_kimg = 0.004;
  config_.scheme.chosen = std::make_shared<LateRolesScheme>(/*agree_every=*/1);
  train("run");
  const auto snapshot = newest("run");
  const auto alone = comm::make_single_group();
  const Dataset dataset = fake_dataset(std::make_unique<data::FakeSource>(40));
  for (const bool generator_first : {true, false}) {
    Replica replica(config_, at::kCPU, ReplicaGroups{});
    comm::BucketedGradients generator(replica.generator().parameters(), *alone, 1 << 20);
    comm::BucketedGradients discriminator(replica.discriminator().parameters(), *alone, 1 << 20);
    auto phases = build_phases(config_, replica, {&generator, &discriminator}, *alone);
    LoadedInputs inputs(config_, dataset, at::kCPU, *alone, {});
    Phase& only = generator_first ? phases.front() : phases.back();
    compute_gradients(only, inputs.next({}));
    EXPECT_EQ(update_network(only, 0)[0].item<float>(), 0);
    if (generator_first) expect_parameters(snapshot.files.at("generator"), replica.generator());
    if (!generator_first) {
      expect_parameters(snapshot.files.at("discriminator"), replica.discriminator());
    }
  }
}

}  // namespace
}  // namespace ganscale::training
