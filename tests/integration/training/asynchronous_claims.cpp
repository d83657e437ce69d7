#include "integration/training/asynchronous_claims.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

#include "comm/backends/thread_group.h"
#include "integration/training/trainee.h"
#include "support/thorough.h"
#include "training/replica/replica.h"
#include "training/schemes/asynchronous/discriminator_role.h"
#include "training/schemes/asynchronous/generator_role.h"

namespace ganscale::training {
namespace {

/// The clock of the machine, in nanoseconds: the same for all its processes.
std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

/// Waits before each input: in turn, one role is slow for twenty steps and then the other one.
class DelayedInputs : public StepInputs {
 public:
  DelayedInputs(StepInputs& inputs, wire::Role role, int seed)
      : inputs_(inputs), role_(role), random_(static_cast<unsigned>(seed)) {}

  /// When each step took its input: the discriminator's behind the fakes.
  std::vector<std::int64_t> times_ns;

  StepInput next(const Progress& progress) override {
    times_ns.push_back(now_ns());
    const bool is_slow = (progress.step / 20 % 2 == 0) == (role_ == wire::Role::kGenerator);
    const auto longest = is_slow ? 4000U : 400U;
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % longest));
    return inputs_.next(progress);
  }

 private:
  StepInputs& inputs_;
  const wire::Role role_;
  std::minstd_rand random_;
};

/// A rank of either role, and what moves it.
class RoleTrainee {
 public:
  RoleTrainee(const RunConfig& config, wire::RoleRatio ratio, std::int64_t max_staleness,
              comm::Group& world)
      : plan_(ratio, world.size()),
        links_(config, plan_, world),
        network_groups_(config, links_.ranks()),
        replica_(config, at::kCPU, network_groups_.borrowed()),
        numbered_(config, links_.ranks(), at::kCPU),
        delayed_(numbered_, links_.role(), world.rank()),
        parts_{config, plan_, replica_, links_, world, max_staleness} {}

  /// Trains from one agreement to the next one, this many steps later. Returns the ages of what it
  /// used from the other role.
  std::vector<std::int64_t> train(int steps, bool with_delays = false) {
    make_trainer(with_delays);
    std::vector<std::int64_t> ages;
    const std::int64_t end = progress_.step + steps;
    while (progress_.step < end) {
      if (role() == wire::Role::kDiscriminator) weights_.push_back(weight());
      const StepResult result = trainer_->step(progress_);
      if (role() == wire::Role::kGenerator) weights_.push_back(weight());
      EXPECT_TRUE(result.skipped.empty());
      ages.push_back(result.role->age);
      if (trainer_->steps_between_agreements() == 16) trainer_->reconcile(progress_);
    }
    weights_.push_back(weight());
    trainer_->reconcile(progress_);
    state_ = trainer_->gather_state();
    return ages;
  }

  void finish() {
    trainer_.reset();
    network_groups_.finish();
    links_.finish();
  }

  comm::Group& ranks() { return links_.ranks(); }
  wire::Role role() const { return links_.role(); }
  /// A weight of each version of the discriminator, on one of its own ranks.
  std::vector<double> published_weights() {
    at::Tensor weights = at::tensor(weights_);
    parts_.world.broadcast(weights, parts_.plan.world_rank({wire::Role::kDiscriminator, 0}));
    const auto* first = weights.const_data_ptr<double>();
    return {first, first + weights.numel()};
  }
  /// The weight of the discriminator that each step used.
  const std::vector<double>& used_weights() const { return weights_; }
  /// With delays: when each rank of a role took the inputs of its steps, [ranks, steps].
  at::Tensor times_ns(wire::Role of) const {
    const at::Tensor all = parts_.world.all_gather(at::tensor(delayed_.times_ns));
    std::vector<at::Tensor> rows;
    for (int rank = 0; rank < plan_.size(of); ++rank)
      rows.push_back(all[plan_.world_rank({of, rank})]);
    return at::stack(rows);
  }
  /// After train(): of all ranks, on rank 0.
  const std::map<std::string, NamedTensors>& state() const { return state_; }

 private:
  void make_trainer(bool with_delays) {
    StepInputs& inputs = with_delays ? static_cast<StepInputs&>(delayed_) : numbered_;
    trainer_.reset();
    if (links_.role() == wire::Role::kGenerator) {
      trainer_ = std::make_unique<GeneratorRole>(parts_, inputs, progress_);
    } else {
      trainer_ = std::make_unique<DiscriminatorRole>(parts_, inputs, progress_);
    }
  }

  double weight() {
    return replica_.discriminator().parameters().front().flatten()[0].item<double>();
  }

  const wire::RolePlan plan_;
  RoleLinks links_;
  NetworkGroups network_groups_;
  Replica replica_;
  NumberedInputs numbered_;
  DelayedInputs delayed_;
  const RoleParts parts_;
  Progress progress_;
  std::unique_ptr<Trainer> trainer_;
  std::vector<double> weights_;
  std::map<std::string, NamedTensors> state_;
};

/// Expects of steps with staleness 0, or others whose results it can't change, what as many ranks
/// as one role has compute synchronously.
void expect_same_as_synchronous(comm::Group& world, const RunConfig& config, wire::RoleRatio ratio,
                                int steps = thorough(20, 6), std::int64_t max_staleness = 0) {
  RoleTrainee asynchronous(config, ratio, max_staleness, world);
  const auto single = comm::make_single_group();
  const bool is_even = ratio.generator == ratio.discriminator;
  Trainee synchronous(config, is_even ? asynchronous.ranks() : *single);
  for (const std::int64_t age : asynchronous.train(steps)) {
    EXPECT_GE(age, 0);
    EXPECT_LE(age, max_staleness);
  }
  synchronous.train(steps);
  if (world.rank() == 0) {
    const auto expected = synchronous.replica().state();
    ASSERT_EQ(asynchronous.state().size(), expected.size());
    for (const auto& [file, tensors] : asynchronous.state()) {
      for (const auto& [name, tensor] : tensors) {
        EXPECT_TRUE(at::allclose(tensor, expected.at(file).at(name), 0, 1e-9))
            << file << ": " << name;
      }
    }
  }
  asynchronous.finish();
}

void staleness_0_with_local_batch_norm(comm::Group& world) {
  expect_same_as_synchronous(world, make_config("dcgan", "local", Precision::kFp64), {1, 1});
}

void staleness_0_with_labels(comm::Group& world) {
  expect_same_as_synchronous(
      world, make_config("conditional_dcgan", "synchronized", Precision::kFp64), {1, 1}, 4);
}

/// With a probability that moves every three steps.
void use_ada(RunConfig& config) {
  config.augment.method = augment::Method::kAda;
  config.augment.pipeline = augment::ada_pipeline({"bgcfnc"});
  config.augment.p = 0.5;
  config.augment.adaptation.interval_steps = 3;
  config.augment.adaptation.speed_kimg = 0.2;
}

void staleness_0_with_adaptive_augmentation(comm::Group& world) {
  RunConfig config = make_config("dcgan", "frozen", Precision::kFp64);
  use_ada(config);
  expect_same_as_synchronous(world, config, {1, 1}, 7);
}

void staleness_0_with_critic_steps(comm::Group& world) {
  RunConfig config = make_config("conditional_wgan", "local", Precision::kFp64);
  config.loss = {
      .kind = losses::Adversarial::kWasserstein, .critic_steps = 5, .gradient_penalty = 10};
  config.generator.policy.update_interval = config.loss.critic_steps;
  expect_same_as_synchronous(world, config, {1, 1}, 7);
}

/// The lazy phase takes the fakes of Dmain: making others would move G's statistics again.
void use_lazy_r2(RunConfig& config) {
  config.discriminator.penalties = {.r2_gamma = 1, .interval = 2};
  config.discriminator.policy.lazy_interval = 2;
}

void staleness_0_with_a_lazy_penalty_of_fakes(comm::Group& world) {
  RunConfig config = make_config("dcgan", "local", Precision::kFp64);
  use_lazy_r2(config);
  expect_same_as_synchronous(world, config, {1, 1}, 5);
}

void staleness_0_of_stylegan3_with_a_lazy_penalty_of_fakes(comm::Group& world) {
  RunConfig config = make_stylegan3_config(Precision::kFp64);
  use_lazy_r2(config);
  expect_same_as_synchronous(world, config, {1, 1}, 5);
}

void staleness_0_of_stylegan2(comm::Group& world) {
  expect_same_as_synchronous(world, make_stylegan2_config("", Precision::kFp64), {1, 1});
}

/// The discriminator comes first, in two passes over parts of the batch.
void staleness_0_of_biggan(comm::Group& world) {
  RunConfig config = make_biggan_config(", accumulate: 2", Precision::kFp64);
  use_ada(config);
  expect_same_as_synchronous(world, config, {1, 1});
}

/// The generator's ranks take the scores of reals from the discriminator's.
void staleness_0_of_r3gan(comm::Group& world) {
  expect_same_as_synchronous(world, make_r3gan_config("", Precision::kFp64), {1, 1}, 6);
}

void staleness_0_of_r3gan_in_two_passes(comm::Group& world) {
  expect_same_as_synchronous(world, make_r3gan_config(", accumulate: 2", Precision::kFp64), {1, 1},
                             4);
}

/// Each pass over reals or fakes moves the discriminator's spectral normalization.
RunConfig make_biggan_config_of_pairs() {
  RunConfig config = make_biggan_config("", Precision::kFp64);
  config.loss.kind = losses::Adversarial::kRelativistic;
  return config;
}

/// The second and the fourth step train the generator.
void staleness_0_of_pairs_with_critic_steps(comm::Group& world) {
  expect_same_as_synchronous(world, make_biggan_config_of_pairs(), {1, 1}, 4);
}

/// No step trains the generator.
void scores_of_pairs_leave_no_trace(comm::Group& world) {
  RunConfig config = make_biggan_config_of_pairs();
  config.generator.policy.update_interval = 100;
  expect_same_as_synchronous(world, config, {1, 1}, 3, /*max_staleness=*/1);
}

/// Of twelve images a step. Nothing mixes the images of a batch.
RunConfig make_tiny_config_of_twelve(Precision precision) {
  RunConfig config = make_tiny_config(precision);
  config.training.batch = 12;
  return config;
}

void expect_same_with_uneven_roles(comm::Group& world, const RunConfig& config, int steps) {
  const int others = world.size() - 1;
  expect_same_as_synchronous(world, config, {1, others}, steps);
  expect_same_as_synchronous(world, config, {others, 1}, steps);
}

void staleness_0_with_uneven_roles(comm::Group& world) {
  expect_same_with_uneven_roles(world, make_tiny_config_of_twelve(Precision::kFp64),
                                thorough(20, 6));
}

/// The fakes of a step come with drawn labels, from the ranks of the generator that trained on them.
void staleness_0_with_shared_fakes(comm::Group& world) {
  RunConfig config = make_config("conditional_dcgan", "frozen", Precision::kFp64);
  config.loss = {.shares_fakes = true, .uniform_labels = true};
  config.training.batch = 12;
  expect_same_with_uneven_roles(world, config, 3);
}

/// A rank takes the scores and labels of its pairs from several others, or a part of another's.
void staleness_0_of_r3gan_with_uneven_roles(comm::Group& world) {
  RunConfig config = make_r3gan_config("", Precision::kFp64);
  config.training.batch = 12;
  expect_same_with_uneven_roles(world, config, 3);
}

/// Returns how many newer batches the generator had at least begun when each step of the
/// discriminator began, by the machine's clock: messages on their way count, too.
at::Tensor true_ages_of_images(const RoleTrainee& trainee) {
  const at::Tensor begun = trainee.times_ns(wire::Role::kGenerator).amin(0);
  const at::Tensor used = trainee.times_ns(wire::Role::kDiscriminator).amax(0);
  return at::searchsorted(begun, used, /*out_int32=*/false, /*right=*/true)
      .sub(at::arange(used.numel()))
      .sub(1);
}

void expect_ages_within(comm::Group& world, std::int64_t bound, wire::RoleRatio ratio,
                        const losses::LossConfig& loss = {}) {
  RunConfig config = make_tiny_config_of_twelve(Precision::kFp32);
  config.loss = loss;
  RoleTrainee trainee(config, ratio, bound, world);
  const int steps = thorough(1000, 300);
  const auto ages = trainee.train(steps, /*with_delays=*/true);
  EXPECT_EQ(ages.size(), steps);
  std::int64_t oldest = 0;
  for (const std::int64_t age : ages) {
    EXPECT_GE(age, 0);
    oldest = std::max(oldest, age);
  }
  EXPECT_LE(oldest, bound);
  const at::Tensor oldest_of_all = at::tensor({oldest});
  world.all_reduce_max(oldest_of_all);
  EXPECT_GT(oldest_of_all.item<std::int64_t>(), 0) << "the roles took turns";
  const auto published = trainee.published_weights();
  if (trainee.role() == wire::Role::kGenerator) {
    for (std::size_t step = 0; step < ages.size(); ++step) {
      const std::size_t latest = step + (loss.discriminator_first ? 1 : 0);
      const auto version = latest - static_cast<std::size_t>(ages[step]);
      ASSERT_EQ(trainee.used_weights()[step], published[version]) << "step " << step;
    }
  }
  const at::Tensor true_ages = true_ages_of_images(trainee);
  EXPECT_LE(true_ages.max().item<std::int64_t>(), bound);
  if (trainee.role() == wire::Role::kDiscriminator) {
    EXPECT_TRUE(at::tensor(ages).le(true_ages).all().item<bool>())
        << "batches that were never made";
  }
  trainee.finish();
}

void ages_stay_within_bound_1(comm::Group& world) { expect_ages_within(world, 1, {1, 1}); }

void ages_stay_within_bound_3_with_uneven_roles(comm::Group& world) {
  expect_ages_within(world, 3, {1, world.size() - 1});
}

void ages_stay_within_bound_2_with_the_discriminator_first(comm::Group& world) {
  expect_ages_within(world, 2, {1, 1}, {.discriminator_first = true});
}

/// Scores of reals are as old as the discriminator that they come with.
void ages_stay_within_bound_2_with_pairs(comm::Group& world) {
  expect_ages_within(world, 2, {1, 1},
                     {.kind = losses::Adversarial::kRelativistic, .discriminator_first = true});
}

}  // namespace

std::vector<comm::GroupClaim> asynchronous_claims() {
  return {
      {"Staleness0IsSynchronousWithLocalBatchNorm", staleness_0_with_local_batch_norm},
      {"Staleness0IsSynchronousWithLabels", staleness_0_with_labels},
      {"Staleness0IsSynchronousWithAdaptiveAugmentation", staleness_0_with_adaptive_augmentation},
      {"Staleness0IsSynchronousWithCriticSteps", staleness_0_with_critic_steps},
      {"Staleness0IsSynchronousWithALazyPenaltyOfFakes", staleness_0_with_a_lazy_penalty_of_fakes},
      {"Staleness0IsSynchronousOfStylegan3WithALazyPenaltyOfFakes",
       staleness_0_of_stylegan3_with_a_lazy_penalty_of_fakes},
      {"Staleness0IsSynchronousOfStylegan2", staleness_0_of_stylegan2},
      {"Staleness0IsSynchronousOfBigGan", staleness_0_of_biggan},
      {"Staleness0IsSynchronousOfR3gan", staleness_0_of_r3gan},
      {"Staleness0IsSynchronousOfR3ganInTwoPasses", staleness_0_of_r3gan_in_two_passes},
      {"Staleness0IsSynchronousOfPairsWithCriticSteps", staleness_0_of_pairs_with_critic_steps},
      {"ScoresOfPairsLeaveNoTraceInTheDiscriminator", scores_of_pairs_leave_no_trace},
      {"Staleness0IsSynchronousWithUnevenRoles", staleness_0_with_uneven_roles},
      {"Staleness0IsSynchronousWithSharedFakes", staleness_0_with_shared_fakes},
      {"Staleness0IsSynchronousOfR3ganWithUnevenRoles", staleness_0_of_r3gan_with_uneven_roles},
      {"AgesStayWithinBound1", ages_stay_within_bound_1},
      {"AgesStayWithinBound2WithTheDiscriminatorFirst",
       ages_stay_within_bound_2_with_the_discriminator_first},
      {"AgesStayWithinBound2WithPairs", ages_stay_within_bound_2_with_pairs},
      {"AgesStayWithinBound3WithUnevenRoles", ages_stay_within_bound_3_with_uneven_roles}};
}

}  // namespace ganscale::training
