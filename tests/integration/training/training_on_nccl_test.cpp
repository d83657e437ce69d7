// Communicators of a rank share a stream: ranks that start the sums of gradients and of statistics in
// different orders would wait for each other forever.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "collective/nccl_ranks.h"
#include "integration/training/asynchronous_claims.h"
#include "integration/training/chosen_claims.h"
#include "integration/training/training_claims.h"
#include "support/host_gpu/group_on_gpu.h"

namespace ganscale::training {
namespace {

std::vector<comm::GroupClaim> claims() {
  auto all = training_claims();
  std::ranges::copy(asynchronous_claims(), std::back_inserter(all));
  return chosen(std::move(all), kClaimsOfMostGroups);
}

class TrainingOnNccl : public testing::TestWithParam<comm::GroupClaim> {
 protected:
  void TearDown() override { comm::expect_no_mistakes(); }
};

TEST_P(TrainingOnNccl, KeepsTheClaim) {
  comm::run_gpus(2, [body = GetParam().body](comm::Group& group, at::Device gpu) {
    host_gpu::GroupOnGpu on_gpus(group, gpu);
    body(on_gpus);
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, TrainingOnNccl, testing::ValuesIn(claims()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ganscale::training
