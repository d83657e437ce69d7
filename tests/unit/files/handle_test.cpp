#include "files/handle.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

namespace ganscale {
namespace {

std::vector<int>& closed() {
  static std::vector<int> handles;
  return handles;
}

struct NumberTraits {
  using Raw = int;
  static Raw null() noexcept { return 0; }
  static void close(Raw raw) noexcept { closed().push_back(raw); }
};
using Number = Handle<NumberTraits>;

static_assert(!std::is_copy_constructible_v<Number>);
static_assert(!std::is_copy_assignable_v<Number>);
static_assert(std::is_nothrow_move_constructible_v<Number>);

class HandleTest : public testing::Test {
 protected:
  HandleTest() { closed().clear(); }
};

TEST_F(HandleTest, IsClosedAtItsEnd) {
  {
    const Number number(7);
    EXPECT_EQ(number.get(), 7);
  }
  EXPECT_EQ(closed(), std::vector{7});
}

TEST_F(HandleTest, OfNothingClosesNothing) {
  {
    const Number none;
  }
  EXPECT_TRUE(closed().empty());
}

TEST_F(HandleTest, HasOneOwner) {
  {
    Number first(7);
    const Number second(std::move(first));
    EXPECT_EQ(first.get(), 0);  // NOLINT: what a moved-from handle holds is the claim
    EXPECT_EQ(second.get(), 7);
  }
  EXPECT_EQ(closed(), std::vector{7});
}

TEST_F(HandleTest, ClosesWhatItHeldWhereItIsAssignedTo) {
  {
    Number kept(7);
    kept = Number(8);
    EXPECT_EQ(closed(), std::vector{7});
    EXPECT_EQ(kept.get(), 8);
  }
  EXPECT_EQ(closed(), (std::vector{7, 8}));
}

TEST_F(HandleTest, ThatIsReleasedIsTheCallers) {
  {
    Number number(7);
    EXPECT_EQ(number.release(), 7);
  }
  EXPECT_TRUE(closed().empty());
}

}  // namespace
}  // namespace ganscale
