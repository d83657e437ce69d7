#include "checkpoint/run_files.h"

#include <gtest/gtest.h>

namespace ganscale::checkpoint::run_files {
namespace {

TEST(SampleName, SortsByTimeAndReadsBack) {
  EXPECT_EQ(sample_name(4'200'000), "fakes-004200.png");
  EXPECT_EQ(sample_name(1536), "fakes-000001.536.png");
  EXPECT_EQ(images_of_sample_name("fakes-000001.536.png"), 1536);
  EXPECT_EQ(images_of_sample_name("fakes-1.png"), std::nullopt);
  EXPECT_EQ(images_of_sample_name(kReals), std::nullopt);
}

}  // namespace
}  // namespace ganscale::checkpoint::run_files
