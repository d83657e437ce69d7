#include "training/phases/graph_recorder.h"

#include <ATen/Functions.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "comm/backends/thread_group.h"
#include "comm/collectives/bucketed_gradients.h"
#include "training/phases/build_phases.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

/// What was called that has the host wait for a device, in this thread.
std::set<std::string>& waits() {
  static std::set<std::string> names;
  return names;
}

std::unique_ptr<at::ObserverContext> note_wait(const at::RecordFunction& called) {
  static const std::set<std::string> kWaiting = {
      "aten::item",  "aten::_local_scalar_dense", "aten::is_nonzero", "aten::nonzero",
      "aten::equal", "aten::masked_select",       "aten::unique2"};
  if (kWaiting.contains(called.name())) waits().insert(called.name());
  return nullptr;
}

/// All phases of a small StyleGAN2 with random noise, mixed styles and DiffAugment.
class Recorded : public testing::Test {
 protected:
  Recorded()
      : config_(
            parse("model: {name: stylegan2, resolution: 16, z_dim: 8, w_dim: 8, channel_base: 64, "
                  "channel_max: 8, mapping_layers: 2}\n"
                  "training: {batch: 4}\n"
                  "generator: {path_length_weight: 2}\n"
                  "discriminator: {r1_gamma: 1}\n"
                  "augment: {name: diffaugment}\n")),
        group_(comm::make_single_group()),
        replica_(config_, at::kCPU, {}),
        generator_gradients_(replica_.generator().parameters(), *group_, 1 << 20),
        discriminator_gradients_(replica_.discriminator().parameters(), *group_, 1 << 20),
        phases_(build_phases(config_, replica_, {&generator_gradients_, &discriminator_gradients_},
                             *group_)) {}

  RunConfig config_;
  std::unique_ptr<comm::Group> group_;
  Replica replica_;
  comm::BucketedGradients generator_gradients_;
  comm::BucketedGradients discriminator_gradients_;
  std::vector<Phase> phases_;
  data::Batch real_{at::zeros({4, 3, 16, 16}), {}};
};

TEST_F(Recorded, PhasesNeverHaveTheHostWaitForTheDevice) {
  ASSERT_EQ(phases_.size(), 4);
  const auto observer = at::addThreadLocalCallback(at::RecordFunctionCallback(note_wait));
  for (Phase& phase : phases_) {
    waits().clear();
    compute_gradients(phase, {.real = real_, .images = {}});
    const at::Tensor flags = update_network(phase, 0);
    EXPECT_EQ(waits(), std::set<std::string>{}) << phase.name;
    flags[0].item<float>();
    EXPECT_TRUE(waits().contains("aten::item"));
  }
  at::removeCallback(observer);
}

TEST_F(Recorded, PhasesOfferStatisticsThatTheNextOnesLeaveAlone) {
  GraphRecorder recorder(replica_, *group_);
  recorder.set_input({.real = real_, .images = {.first_image = 1}});
  const auto first = recorder.compute_gradients(phases_[0]).statistics.at("loss/generator");
  const auto value = first.clone();
  recorder.set_input({.real = real_, .images = {.first_image = 5}});
  EXPECT_FALSE(recorder.compute_gradients(phases_[0]).statistics.at("loss/generator").equal(value));
  EXPECT_TRUE(first.equal(value));
}

/// Counts the products of numbers before the first convolution, in this thread.
struct ProductsSeen {
  int count = 0;
  bool is_over = false;
};

ProductsSeen& products() {
  static ProductsSeen seen;
  return seen;
}

std::unique_ptr<at::ObserverContext> note_product(const at::RecordFunction& called) {
  products().is_over = products().is_over || called.name() == std::string_view("aten::convolution");
  if (!products().is_over && called.name() == std::string_view("aten::mul")) ++products().count;
  return nullptr;
}

template <class Run>
int products_before_convolutions(Run run) {
  products() = {};
  const auto observer = at::addThreadLocalCallback(at::RecordFunctionCallback(note_product));
  run();
  at::removeCallback(observer);
  return products().count;
}

// D's as well, which Gmain needs only behind G: a replay prepares none.
TEST_F(Recorded, PhasesBeginWithTheWeightsOfBothNetworksPrepared) {
  const StepInput input{.real = real_, .images = {}};
  GraphRecorder recorder(replica_, *group_);
  recorder.set_input(input);
  const int own = products_before_convolutions([&] { compute_gradients(phases_[0], input); });
  const int of_both = products_before_convolutions([&] {
    replica_.generator().prepare_weights();
    replica_.discriminator().prepare_weights();
  });
  EXPECT_GT(of_both, 0);
  EXPECT_EQ(products_before_convolutions([&] { recorder.compute_gradients(phases_[0]); }),
            of_both + own);
}

}  // namespace
}  // namespace ganscale::training
