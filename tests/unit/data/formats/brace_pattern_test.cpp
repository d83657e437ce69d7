#include "data/formats/brace_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace ganscale::data {
namespace {

using testing::ElementsAre;

TEST(BracePattern, HasNumbersWithAsManyDigits) {
  EXPECT_THAT(expand_braces("a/b-{008..010}.tar"),
              ElementsAre("a/b-008.tar", "a/b-009.tar", "a/b-010.tar"));
  EXPECT_THAT(expand_braces("{9..10}"), ElementsAre("9", "10"));
}

TEST(BracePattern, HasListsAndCombinesThem) {
  EXPECT_THAT(expand_braces("{train,test}-{0..1}.tar"),
              ElementsAre("train-0.tar", "train-1.tar", "test-0.tar", "test-1.tar"));
  EXPECT_THAT(expand_braces("a{,b}"), ElementsAre("a", "ab"));
}

TEST(BracePattern, IsItselfWithoutBraces) {
  EXPECT_THAT(expand_braces("a.tar"), ElementsAre("a.tar"));
  EXPECT_THAT(expand_braces("a}b{c"), ElementsAre("a}b{c"));
}

TEST(BracePattern, RefusesOtherBraces) {
  const auto expect_refusal = [](const std::string& pattern, const std::string& why) {
    expect_error(ExitCode::kData, why, [&] { expand_braces(pattern); });
  };
  expect_refusal("a-{3..1}.tar", "runs backward: {3..1}");
  expect_refusal("a-{a..c}.tar", "no range of numbers");
  expect_refusal("a-{}.tar", "neither a range");
  expect_refusal("{0..99999999}", "more than 100,000");
  expect_refusal("{0..9999}{0..9999}", "more than 100,000");
  expect_refusal("{0..99999999999999999999}", "no range of numbers");
  expect_refusal("{0..9}" + std::string(65536, 'a'), "more than 65536 characters: {0..9}aaa");
}

}  // namespace
}  // namespace ganscale::data
