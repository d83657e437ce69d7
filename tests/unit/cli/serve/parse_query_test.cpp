#include "cli/serve/parse_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ganscale::cli {
namespace {

TEST(ParseQuery, DecodesNamesAndValues) {
  EXPECT_EQ(parse_query("seed=1&a%20b=%ff"), (Query{{"seed", "1"}, {"a b", "\xff"}}));
  EXPECT_EQ(parse_query(""), Query{});
  EXPECT_EQ(parse_query("&seed=&"), (Query{{"seed", ""}}));
}

TEST(ParseQuery, RefusesEscapesThatAreNone) {
  for (const char* text : {"seed=%3", "seed=%zz", "%=1"})
    EXPECT_THROW(parse_query(text), std::exception) << text;
}

TEST(ParseQuery, RefusesParametersWithoutAValue) {
  for (const char* text : {"seed", "class=1&seed", "seed&class=1"}) {
    try {
      parse_query(text);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_STREQ(error.what(), "expected NAME=VALUE: seed");
    }
  }
}

TEST(ParseQuery, RefusesTheCharacterThatWouldEndAMessage) {
  for (const char* text : {"%00seed=1", "seed=1%00"})
    EXPECT_THROW(parse_query(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace ganscale::cli
