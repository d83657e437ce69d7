#include "files/uninterrupted.h"

#include <gtest/gtest.h>

namespace ganscale::files {
namespace {

TEST(Uninterrupted, CallsAgainAfterSignalsOnly) {
  int calls = 0;
  const auto fails_with = [&](int reason, int times) {
    calls = 0;
    return uninterrupted([&, reason, times] {
      if (++calls > times) return 7;
      errno = reason;
      return -1;
    });
  };
  EXPECT_EQ(fails_with(EINTR, 2), 7);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(fails_with(EIO, 2), -1);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(errno, EIO);
}

}  // namespace
}  // namespace ganscale::files
