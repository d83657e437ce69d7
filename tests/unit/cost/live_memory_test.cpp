#include "cost/live_memory.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "cost/recorder.h"

namespace ganscale::cost {
namespace {

constexpr double kBytes = 4 * 100;  // of a tensor here

at::Tensor blank() { return at::empty({100}, at::TensorOptions(at::kMeta)); }

/// Returns the peak of what an action makes.
template <class Action>
double peak_of(const Action& action) {
  LiveMemory memory;
  Recorder recorder([&](const RecordedCall& call) { memory.see(call); });
  action();
  return memory.take_peak();
}

TEST(LiveMemory, CountsTensorsThatLiveAtTheSameTime) {
  EXPECT_EQ(peak_of([] { blank(); }), kBytes);
  EXPECT_EQ(peak_of([] {
              const at::Tensor one = blank();
              const at::Tensor other = one + one;
            }),
            2 * kBytes);
  EXPECT_EQ(peak_of([] {
              blank();
              blank();
            }),
            kBytes);
}

TEST(LiveMemory, CountsAViewAsItsTensor) {
  EXPECT_EQ(peak_of([] {
              const at::Tensor all = blank();
              const at::Tensor part = all.view({10, 10}).narrow(0, 0, 5);
            }),
            kBytes);
}

// exp() keeps its result for the backward pass, and x + x nothing.
TEST(LiveMemory, HoldsWhatTheBackwardPassNeeds) {
  EXPECT_EQ(peak_of([] {
              const at::Tensor x = blank().requires_grad_();
              at::Tensor y = x.exp();
              y = y.add(y);
              y = y.add(y);
            }),
            4 * kBytes);
}

TEST(LiveMemory, RestartsFromTheLiveTensors) {
  LiveMemory memory;
  Recorder recorder([&](const RecordedCall& call) { memory.see(call); });
  const at::Tensor kept = blank();
  {
    const at::Tensor lost = blank();
  }
  EXPECT_EQ(memory.take_peak(), 2 * kBytes);
  EXPECT_EQ(memory.take_peak(), kBytes);
}

}  // namespace
}  // namespace ganscale::cost
