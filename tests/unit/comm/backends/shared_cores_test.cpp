#include "comm/backends/shared_cores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace ganscale::comm {
namespace {

using testing::ElementsAre;

TEST(ShareOfCores, IsDisjointAndEven) {
  const std::vector<int> cores = {0, 1, 4, 5, 6};
  EXPECT_THAT(share_of_cores(cores, 0, 2), ElementsAre(0, 1, 4));
  EXPECT_THAT(share_of_cores(cores, 1, 2), ElementsAre(5, 6));
  EXPECT_THAT(share_of_cores(cores, 0, 1), testing::ElementsAreArray(cores));
}

TEST(ShareOfCores, IsAllOfThemIfThereAreMoreRanks) {
  EXPECT_THAT(share_of_cores({2, 3}, 2, 3), ElementsAre(2, 3));
}

TEST(BindToShare, HoldsForThreadsThatStartLater) {
  const std::vector<int> before = allowed_cores();
  std::vector<int> bound;
  std::vector<int> inherited;
  std::thread([&] {
    bind_to_share(0, static_cast<int>(before.size()));
    bound = allowed_cores();
    std::thread([&] { inherited = allowed_cores(); }).join();
  }).join();
  EXPECT_THAT(bound, ElementsAre(before.front()));
  EXPECT_EQ(inherited, bound);
  EXPECT_EQ(allowed_cores(), before);
}

}  // namespace
}  // namespace ganscale::comm
