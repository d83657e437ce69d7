#include "training/replica/path_lengths.h"

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <vector>

#include "comm/backends/thread_group.h"

namespace ganscale::training {
namespace {

TEST(PathCount, SharesTheFirstImagesOfTheBatch) {
  const int expected[] = {2, 1, 1, 1};  // images 0 and 4, 1, 2, 3
  for (int rank = 0; rank < 4; ++rank) {
    const PathCount count = path_count(/*batch=*/10, /*batch_shrink=*/2, rank, /*ranks=*/4);
    EXPECT_EQ(count.here, expected[rank]);
    EXPECT_EQ(count.in_all, 5);
    EXPECT_EQ(count.ranks, 4);
  }
}

TEST(PathCount, IsOneAtLeast) {
  EXPECT_EQ(path_count(4, 8, 0, 2).here, 1);
  EXPECT_EQ(path_count(4, 8, 1, 2).here, 0);
}

// 1, 2 and 6 on the first rank, none on the second.
TEST(MeanLength, IsTheMeanOverTheImagesOfAllRanks) {
  comm::run_ranks(2, [](comm::Group& group) {
    const PathLengthMean mean{at::tensor(9.0), &group};
    const bool has_some = group.rank() == 0;
    const at::Tensor lengths =
        has_some ? at::tensor({1.0, 2.0, 6.0}) : at::tensor(at::ArrayRef<double>{});
    const PathCount count{.here = has_some ? 3 : 0, .in_all = 3, .ranks = 2};
    EXPECT_EQ(mean_length(lengths, count, mean).item<double>(), 3);
  });
}

TEST(MeanLength, IsOfThisRankAloneWithoutAGroup) {
  const PathLengthMean mean{at::tensor(9.0), nullptr};
  const PathCount two{.here = 2, .in_all = 3, .ranks = 2};
  EXPECT_EQ(mean_length(at::tensor({1.0, 2.0}), two, mean).item<double>(), 1.5);
  const PathCount none{.here = 0, .in_all = 3, .ranks = 2};
  EXPECT_EQ(mean_length(at::tensor(at::ArrayRef<double>{}), none, mean).item<double>(), 9);
}

/// Returns the means of both of two ranks after rank 0 has restored these; shared: by the ranks.
std::vector<double> means_after(const at::Tensor& restored, bool shared) {
  std::vector<double> means(2);
  comm::run_ranks(2, [&](comm::Group& group) {
    PathLengthMean mean{at::tensor(9.0), shared ? &group : nullptr};
    if (group.rank() == 0) mean.restored = restored;
    take_restored(group, mean);
    EXPECT_FALSE(mean.restored.defined());
    means[static_cast<std::size_t>(group.rank())] = mean.value.item<double>();
  });
  return means;
}

using Means = std::vector<double>;

TEST(TakeRestored, GivesEachOfAsManyRanksItsOwn) {
  EXPECT_EQ(means_after(at::tensor({1.0, 4.0}), /*shared=*/false), (Means{1, 4}));
}

TEST(TakeRestored, GivesTheMeanIfTheRanksAreOthersOrShareTheirs) {
  EXPECT_EQ(means_after(at::tensor({1.0, 4.0, 7.0}), /*shared=*/false), (Means{4, 4}));
  EXPECT_EQ(means_after(at::tensor({1.0, 4.0}), /*shared=*/true), (Means{2.5, 2.5}));
}

TEST(TakeRestored, LeavesTheMeanIfTheCheckpointHasNoneOfItsRanks) {
  EXPECT_EQ(means_after({}, /*shared=*/false), (Means{9, 9}));
}

}  // namespace
}  // namespace ganscale::training
