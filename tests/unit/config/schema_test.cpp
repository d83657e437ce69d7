#include "config/schema.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "config/units.h"

namespace ganscale::config {
namespace {

using testing::ElementsAre;

/// The key `momentum` is asked for with one optimizer only, and `nesterov` only with momentum.
void parse_optimizer(Section root) {
  Section in = root.section("optimizer");
  const auto name = in.get_choice("name", "adam", {"adam", "sgd"}, "the rule");
  in.get("rate", 0.1, "the rate");
  if (name == "sgd") {
    const auto kind = in.get_choice("momentum", "none", {"none", "heavy"}, "the velocity");
    in.require(kind == "heavy", "momentum", "can't be none");
    if (kind == "heavy") in.get("nesterov", false, "look ahead");
  }
  in.reject_unread_keys();
}

TEST(Schema, HasTheKeysOfEveryChoice) {
  std::vector<std::string> paths;
  for (const Entry& entry : all_entries(parse_optimizer)) paths.push_back(entry.path);
  EXPECT_THAT(paths, ElementsAre("optimizer.name", "optimizer.rate", "optimizer.momentum",
                                 "optimizer.nesterov"));
}

TEST(Schema, ClosesEverySectionAndNamesTypesAndChoices) {
  const auto schema = nlohmann::json::parse(to_json_schema(all_entries(parse_optimizer)));
  EXPECT_EQ(schema["additionalProperties"], false);
  const auto& optimizer = schema["properties"]["optimizer"];
  EXPECT_EQ(optimizer["additionalProperties"], false);
  EXPECT_EQ(optimizer["properties"]["rate"]["type"], "number");
  EXPECT_EQ(optimizer["properties"]["name"]["enum"], nlohmann::json({"adam", "sgd"}));
  EXPECT_EQ(optimizer["properties"]["nesterov"]["description"], "look ahead");
}

/// The bounds of `rate` depend on the optimizer, and those of `decay` on `rate`.
void parse_bounded(Section root) {
  Section in = root.section("optimizer");
  const auto name = in.get_choice("name", "adam", {"adam", "sgd"}, "the rule");
  const double rate = in.get("rate", 0.5, "the rate");
  if (name == "adam") {
    in.require(rate, between(0, 1), "rate", "must be 0 to 1");
  } else {
    in.require(rate, above(-1), "rate", "must be above -1");
    in.require(rate, {.highest = 8}, "rate", "must be at most 8");
  }
  const double decay = in.get("decay", 0.25, "the decay");
  in.require(decay < rate, "decay", "must be below rate");
  in.get_bytes("limit", 64, "the limit");
  in.get_seconds("pause", 1, "the pause");
  in.get("rules", std::vector<std::string>{}, "the rules");
  in.describe_texts("rules", "^r[0-9]$", "a rule such as r1");
  in.get_choice("joined", "auto", {"auto", "true"}, "whether they are joined");
  in.reject_unread_keys();
}

TEST(Schema, HasTheBoundsThatHoldWithEveryChoice) {
  const auto schema = nlohmann::json::parse(to_json_schema(all_entries(parse_bounded)));
  const auto& optimizer = schema["properties"]["optimizer"]["properties"];
  EXPECT_EQ(optimizer["rate"], nlohmann::json::parse(R"({"type": "number", "exclusiveMinimum": -1,
      "maximum": 8, "description": "the rate"})"));
  EXPECT_EQ(optimizer["decay"],
            nlohmann::json::parse(R"({"type": "number", "description": "the decay"})"));
}

TEST(Schema, HasThePatternsOfTexts) {
  const auto schema = nlohmann::json::parse(to_json_schema(all_entries(parse_bounded)));
  const auto& optimizer = schema["properties"]["optimizer"]["properties"];
  EXPECT_EQ(optimizer["limit"]["pattern"], bytes_pattern());
  EXPECT_EQ(optimizer["limit"]["title"], "a number of bytes such as 64KiB or 4GiB");
  EXPECT_EQ(optimizer["limit"]["minimum"], 0);
  EXPECT_EQ(optimizer["pause"]["pattern"], seconds_pattern());
  EXPECT_EQ(optimizer["rules"]["items"],
            nlohmann::json::parse(R"({"pattern": "^r[0-9]$", "title": "a rule such as r1"})"));
  EXPECT_EQ(optimizer["joined"]["enum"], nlohmann::json::parse(R"(["auto", "true", true])"));
}

TEST(Schema, RestrictsAKeyByAChoice) {
  const auto schema =
      nlohmann::json::parse(to_json_schema({}, {{.choice = "optimizer.name",
                                                 .value = "adam",
                                                 .default_without = {"name", "preset"},
                                                 .key = "schedule.warmup",
                                                 .allowed = {std::int64_t{1}, "none"}}}));
  const auto then = nlohmann::json::parse(
      R"({"properties": {"schedule": {"properties": {"warmup": {"enum": [1, "none"]}}}}})");
  const auto& rules = schema["allOf"];
  ASSERT_EQ(rules.size(), 2);
  EXPECT_EQ(rules[0]["then"], then);
  EXPECT_EQ(rules[1]["then"], then);
  EXPECT_EQ(rules[0]["if"], nlohmann::json::parse(R"({"properties": {"optimizer": {
      "properties": {"name": {"const": "adam"}}, "required": ["name"]}},
      "required": ["optimizer"]})"));
  EXPECT_EQ(rules[1]["if"], nlohmann::json::parse(R"({"properties": {"optimizer": {
      "not": {"anyOf": [{"required": ["name"]}, {"required": ["preset"]}]}}}})"));
}

}  // namespace
}  // namespace ganscale::config
