#include "kind/spec_hash.h"

#include <gtest/gtest.h>

namespace ganscale::controller {
namespace {

// FIPS 180-4's example: ba7816bf 8f01cfea 414140de 5dae2223 ...
TEST(SpecHash, IsTheBeginningOfTheSha256) { EXPECT_EQ(spec_hash("abc"), "ba7816bf8f01cfea"); }

}  // namespace
}  // namespace ganscale::controller
