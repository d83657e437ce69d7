#include "telemetry/shared_segment.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

namespace ganscale::telemetry {
namespace {

std::string unique_name(const std::string& suffix) {
  return "test-" + std::to_string(getpid()) + "-" + suffix;
}

bool name_exists(const std::string& name) {
  return std::filesystem::exists("/dev/shm/ganscale-" + name);
}

TEST(SharedSegment, IsOneMemoryForAllParties) {
  const std::string name = unique_name("one");
  const SharedSegment first(name, sizeof(int), 2);
  const SharedSegment second(name, sizeof(int), 2);
  EXPECT_EQ(*static_cast<int*>(second.data()), 0);
  *static_cast<int*>(first.data()) = 7;
  EXPECT_EQ(*static_cast<int*>(second.data()), 7);
}

TEST(SharedSegment, IsUnlinkedWhenTheLastPartyHasOpenedIt) {
  const std::string name = unique_name("last");
  const SharedSegment first(name, 8, 2);
  EXPECT_TRUE(name_exists(name));
  const SharedSegment second(name, 8, 2);
  EXPECT_FALSE(name_exists(name));
}

TEST(SharedSegment, IsUnlinkedAtTheEndEvenIfAPartyNeverCame) {
  const std::string name = unique_name("early");
  auto first = std::make_unique<SharedSegment>(name, 8, 2);
  EXPECT_TRUE(name_exists(name));
  first.reset();
  EXPECT_FALSE(name_exists(name));
}

TEST(SharedSegment, OfOnePartyHasNoName) {
  const std::string name = unique_name("alone");
  const SharedSegment segment(name, 8, 1);
  EXPECT_FALSE(name_exists(name));
  EXPECT_EQ(*static_cast<int*>(segment.data()), 0);
}

TEST(SharedSegment, IsPrivateIfTheSystemRefuses) {
  // A name with a slash inside is refused by shm_open.
  const SharedSegment first("no/such/folder", sizeof(int), 2);
  const SharedSegment second("no/such/folder", sizeof(int), 2);
  *static_cast<int*>(first.data()) = 7;
  EXPECT_EQ(*static_cast<int*>(second.data()), 0);
}

}  // namespace
}  // namespace ganscale::telemetry
