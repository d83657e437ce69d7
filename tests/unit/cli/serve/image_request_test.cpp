#include "cli/serve/image_request.h"

#include "support/expect_error.h"

namespace ganscale::cli {
namespace {

const Choices kNone;
const Choices kAll{.truncation = Limits{0, 1}, .labels = {0, 2, 5}};

void expect_refused(const Query& query, const Choices& choices, const std::string& why) {
  expect_error(ExitCode::kUsage, why, [&] { parse_image_request(query, choices); });
}

TEST(ImageRequest, IsSeedZeroByDefault) {
  EXPECT_EQ(parse_image_request({}, kNone), ImageRequest{});
}

TEST(ImageRequest, HasTheFirstLabelByDefault) {
  EXPECT_EQ(parse_image_request({}, kAll).label, 0);
  EXPECT_EQ(parse_image_request({}, {.truncation = {}, .labels = {3}}).label, 3);
}

TEST(ImageRequest, TakesAllParameters) {
  const ImageRequest expected{
      .seed = 999'999'999, .label = 5, .truncation = 0.7, .walk_to = 8, .t = 0.25};
  EXPECT_EQ(parse_image_request({{"seed", "999999999"},
                                 {"class", "5"},
                                 {"truncation", "0.7"},
                                 {"walk_to", "8"},
                                 {"t", "0.25"},
                                 {"token", "s3cret"}},
                                kAll),
            expected);
}

TEST(ImageRequest, RefusesASeedOutOfRange) {
  for (const char* seed : {"-1", "1000000000", "1.5", "", "abc", "0x10", "99999999999999999999"}) {
    const std::string why = std::string("expected a whole number from 0 to 999999999: ") + seed;
    expect_refused({{"seed", seed}}, kNone, "seed: " + why);
    expect_refused({{"walk_to", seed}}, kNone, "walk_to: " + why);
  }
}

TEST(ImageRequest, RefusesNumbersBeyondTheirLimits) {
  for (const char* number : {"-0.1", "1.01", "nan", "inf", "x"}) {
    const std::string why = std::string("expected a number from 0 to 1: ") + number;
    expect_refused({{"t", number}}, kNone, "t: " + why);
    expect_refused({{"truncation", number}}, kAll, "truncation: " + why);
  }
}

TEST(ImageRequest, RefusesAPlaceOfAWalkWithoutItsEnd) {
  expect_refused({{"seed", "7"}, {"t", "0.5"}}, kNone, "t: expected walk_to with it, the seed");
}

TEST(ImageRequest, RefusesALabelWithoutAGenerator) {
  for (const char* label : {"1", "-1", "6", "cat", ""}) {
    expect_refused({{"class", label}}, kAll,
                   std::string("class: expected the number of a label with a generator, from 0 to "
                               "5: ") +
                       label);
  }
}

TEST(ImageRequest, RefusesWhatTheModelDoesNotHave) {
  expect_refused({{"class", "0"}}, kNone,
                 "class: expected none, since this model has no labels: 0");
  expect_refused({{"truncation", "1"}}, kNone,
                 "truncation: expected none, since this model has no truncation: 1");
}

TEST(ImageRequest, RefusesAnUnknownParameter) {
  expect_refused({{"sed", "1"}}, kNone, "sed: expected seed, class, truncation, walk_to or t: 1");
}

}  // namespace
}  // namespace ganscale::cli
