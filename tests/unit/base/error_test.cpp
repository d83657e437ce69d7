#include "base/error.h"

#include "support/expect_error.h"

namespace ganscale {
namespace {

// mpirun and the operator read these numbers.
TEST(Error, HasTheExitCodeOfItsType) {
  EXPECT_EQ(static_cast<int>(UsageError("").code()), 64);
  EXPECT_EQ(static_cast<int>(DataError("").code()), 65);
  EXPECT_EQ(static_cast<int>(DeviceError("").code()), 71);
  EXPECT_EQ(static_cast<int>(PeerLost("").code()), 75);
  EXPECT_EQ(static_cast<int>(ConfigError("").code()), 78);
  EXPECT_EQ(static_cast<int>(ExitCode::kBug), 70);
  EXPECT_EQ(static_cast<int>(ExitCode::kStopped), 143);
}

TEST(Check, OfATrueConditionDoesNothing) { EXPECT_NO_THROW(check(true, "never said")); }

TEST(Check, NamesThePlaceOfABug) {
  expect_error(ExitCode::kBug,
               "one and one is three: ", [] { check(false, "one and one is three"); });
  expect_error(ExitCode::kBug, "error_test.cpp:", [] { check(false, "why"); });
}

}  // namespace
}  // namespace ganscale
