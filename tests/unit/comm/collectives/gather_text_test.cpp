#include "comm/collectives/gather_text.h"

#include <gmock/gmock.h>

#include "comm/backends/thread_group.h"

namespace ganscale::comm {
namespace {

using testing::ElementsAre;

TEST(GatherText, ReturnsTextsOfAnyLengthInTheOrderOfTheRanks) {
  run_ranks(3, [](Group& group) {
    const std::string own(static_cast<std::size_t>(1000 * (2 - group.rank())), 'x');
    EXPECT_THAT(gather_text(group, own),
                ElementsAre(std::string(2000, 'x'), std::string(1000, 'x'), ""));
  });
}

TEST(GatherText, KeepsBytesOfZero) {
  run_ranks(2, [](Group& group) {
    const std::string own(group.rank() == 0 ? 2 : 1, '\0');
    EXPECT_THAT(gather_text(group, own), ElementsAre(std::string(2, '\0'), std::string(1, '\0')));
  });
}

TEST(GatherText, ReturnsNothingIfNoRankHasAText) {
  run_ranks(2, [](Group& group) { EXPECT_THAT(gather_text(group, ""), ElementsAre("", "")); });
}

TEST(GatherText, ReturnsTheTextOfASingleRank) {
  EXPECT_THAT(gather_text(*make_single_group(), "alone"), ElementsAre("alone"));
}

TEST(TextOfRank0, IsTheSameOnAllRanks) {
  for (const std::string& first : {std::string("first"), std::string(2, '\0'), std::string()}) {
    run_ranks(3, [&](Group& group) {
      EXPECT_EQ(text_of_rank_0(group, group.rank() == 0 ? first : "of another length"), first);
    });
  }
  EXPECT_EQ(text_of_rank_0(*make_single_group(), "alone"), "alone");
}

}  // namespace
}  // namespace ganscale::comm
