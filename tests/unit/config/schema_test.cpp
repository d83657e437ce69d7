#include "config/schema.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

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
