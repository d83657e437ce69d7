#include "training/phases/statistics.h"

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"

namespace ganscale::training {
namespace {

TEST(Statistics, GivesTheMeanOverStepsAndRanks) {
  comm::run_ranks(2, [](comm::Group& group) {
    Statistics statistics({"loss", "penalty"});
    const double base = group.rank() == 0 ? 1 : 11;
    statistics.add({{"loss", at::tensor(base)}, {"penalty", at::tensor(base)}});
    statistics.add({{"loss", at::tensor(base + 2)}});
    const auto means = statistics.take(group);
    EXPECT_DOUBLE_EQ(means.at("loss"), 7);     // mean of 2 and 12
    EXPECT_DOUBLE_EQ(means.at("penalty"), 6);  // a lazy phase counts its own steps
  });
}

// Rank 0 trains the generator, ranks 1 and 2 the discriminator.
TEST(Statistics, GivesTheMeanOverTheRanksThatReported) {
  comm::run_ranks(3, [](comm::Group& group) {
    const bool generates = group.rank() == 0;
    Statistics statistics(
        agree_on_names(group, generates ? std::vector<std::string>{"loss/generator", "path_length"}
                                        : std::vector<std::string>{"loss/discriminator"}));
    if (generates) statistics.add({{"loss/generator", at::tensor(5.0)}});
    if (!generates) statistics.add({{"loss/discriminator", at::tensor(1.0 * group.rank())}});
    if (group.rank() == 2) statistics.add({{"loss/discriminator", at::tensor(6.0)}});
    const auto means = statistics.take(group);
    EXPECT_EQ(means, (std::map<std::string, double>{{"loss/discriminator", 3},  // of 1, 2 and 6
                                                    {"loss/generator", 5}}));
  });
}

TEST(Statistics, AreNamedAlikeOnAllRanks) {
  comm::run_ranks(3, [](comm::Group& group) {
    const std::vector<std::vector<std::string>> own = {{"b", "a"}, {}, {"c", "b"}};
    EXPECT_EQ(agree_on_names(group, own[static_cast<std::size_t>(group.rank())]),
              (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_TRUE(agree_on_names(group, {}).empty());
  });
}

TEST(Statistics, AreRefusedIfTheirNameWasNotAgreedUpon) {
  Statistics statistics({"loss"});
  expect_error(ExitCode::kBug, "no such statistic was agreed upon: lost",
               [&] { statistics.add({{"lost", at::tensor(1.0)}}); });
}

TEST(Statistics, StartsOverAfterTake) {
  comm::run_ranks(1, [](comm::Group& group) {
    Statistics statistics({"loss"});
    statistics.add({{"loss", at::tensor(3.0)}});
    statistics.take(group);
    EXPECT_TRUE(statistics.take(group).empty());
  });
}

}  // namespace
}  // namespace ganscale::training
