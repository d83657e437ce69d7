#include "config/differences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ganscale::config {
namespace {

std::vector<std::string> changes_between(const std::string& before, const std::string& now) {
  return differences(parse_yaml(before, "before"), parse_yaml(now, "now"));
}

TEST(Differences, NameEachKeyWithBothValues) {
  EXPECT_THAT(changes_between("a: 1\nb: {c: [1, 2], d: x}\n", "a: 1\nb: {c: [1, 3], d: y}\n"),
              testing::ElementsAre("b.c: [1, 2] -> [1, 3]", "b.d: x -> y"));
}

TEST(Differences, NameKeysThatOneOfThemLacks) {
  EXPECT_THAT(changes_between("a: 1\nold: 2\n", "a: 1\nnew: {key: 3}\n"),
              testing::ElementsAre("new.key: none -> 3", "old: 2 -> none"));
}

TEST(Differences, IgnoreCommentsAndOrder) {
  EXPECT_THAT(changes_between("a: 1  # old words\nb: 2\n", "b: 2\na: 1  # new words\n"),
              testing::IsEmpty());
}

}  // namespace
}  // namespace ganscale::config
