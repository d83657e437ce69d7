#include "checkpoint/checkpoint_name.h"

#include <gtest/gtest.h>

namespace ganscale::checkpoint {
namespace {

TEST(CheckpointName, CountsThousandsOfImages) {
  EXPECT_EQ(checkpoint_name(0), "kimg-000000");
  EXPECT_EQ(checkpoint_name(4'200'000), "kimg-004200");
}

TEST(CheckpointName, KeepsTheRestOfAThousand) {
  EXPECT_EQ(checkpoint_name(1'536), "kimg-000001.536");
  EXPECT_EQ(checkpoint_name(64), "kimg-000000.064");
}

TEST(CheckpointName, SortsAsTheCountsDo) {
  EXPECT_LT(checkpoint_name(4'200'000), checkpoint_name(4'200'001));
  EXPECT_LT(checkpoint_name(4'200'999), checkpoint_name(4'201'000));
  EXPECT_LT(checkpoint_name(999), checkpoint_name(1'000));
}

TEST(CheckpointName, GivesTheCountBack) {
  for (const std::int64_t images_seen : {0L, 64L, 1'000L, 1'536L, 4'200'000L, 1'234'567'891L}) {
    EXPECT_EQ(images_of_checkpoint_name(checkpoint_name(images_seen)), images_seen);
  }
}

TEST(PathWithName, EndsWithoutASlashOrADot) {
  for (const auto* path : {"/r/kimg-000001", "/r/kimg-000001/", "/r/kimg-000001/."}) {
    EXPECT_EQ(path_with_name(path), "/r/kimg-000001") << path;
  }
}

TEST(CheckpointName, RefusesOtherNames) {
  for (const auto* name : {"", "kimg-", "kimg-4200", "kimg-004200.", "kimg-004200.000",
                           "kimg-004200.5", "kimg--04200", ".tmp-kimg-004200", "kimg-004200-old",
                           "kimg-99999999999999999999", "kimg-9223372036854775807",
                           "kimg-9223372036854775807.999", "kimg-000001.9223372036854775807"}) {
    EXPECT_EQ(images_of_checkpoint_name(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace ganscale::checkpoint
