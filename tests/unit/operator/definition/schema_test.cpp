#include "definition/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/yaml.h"
#include "support/expect_error.h"

namespace ganscale::controller {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Json yaml(const std::string& text) { return read_yaml(text, "test").at(0); }

std::vector<std::string> faults(const std::string& schema, const Json& value) {
  return schema_faults(value, yaml(schema), "x");
}

TEST(Schema, ChecksTypes) {
  for (const char* type : {"object", "array", "string", "boolean", "integer", "number"}) {
    const Json value = {{"object", Json::object()}, {"array", Json::array()}, {"string", "a"},
                        {"boolean", true},          {"integer", 1},           {"number", 1.5}};
    const std::string schema = std::string("{type: ") + type + ", items: {type: string}}";
    EXPECT_THAT(faults(schema, value[type]), IsEmpty()) << type;
    EXPECT_THAT(faults(schema, nullptr),
                ElementsAre("x: must be of type " + std::string(type) + ": null"));
  }
  EXPECT_THAT(faults("{type: integer}", 1.5), ElementsAre("x: must be of type integer: 1.5"));
  EXPECT_THAT(faults("{type: number}", 1), IsEmpty());
}

TEST(Schema, ChecksEachBound) {
  EXPECT_THAT(faults("{type: integer, minimum: 2}", 1), ElementsAre("x: must be at least 2: 1"));
  EXPECT_THAT(faults("{type: integer, maximum: 2}", 3), ElementsAre("x: must be at most 2: 3"));
  EXPECT_THAT(faults("{type: integer, minimum: 2, maximum: 2}", 2), IsEmpty());
  EXPECT_THAT(faults("{type: integer, format: int32}", std::int64_t{1} << 31),
              ElementsAre("x: must be an integer of 32 bits: 2147483648"));
  EXPECT_THAT(faults("{type: string, minLength: 1}", ""),
              ElementsAre("x: must have at least 1 characters: \"\""));
  EXPECT_THAT(faults("{type: string, maxLength: 7}", "Fréchet"), IsEmpty()) << "not bytes";
  EXPECT_THAT(faults("{type: string, pattern: '^a'}", "ba"),
              ElementsAre("x: must match ^a: \"ba\""));
  EXPECT_THAT(faults("{type: string, enum: [a, b]}", "c"),
              ElementsAre("x: must be one of [\"a\",\"b\"]: \"c\""));
  EXPECT_THAT(faults("{type: array, maxItems: 1, items: {type: integer}}", {1, 2}),
              ElementsAre("x: must have at most 1 items"));
  EXPECT_THAT(faults("{type: object, maxProperties: 0, additionalProperties: {type: string}}",
                     {{"a", "b"}}),
              ElementsAre("x: must have at most 0 keys"));
}

TEST(Schema, WithoutATypeChecksWhatConcernsAValue) {
  const std::string schema =
      "{x-kubernetes-preserve-unknown-fields: true, minimum: 1, minLength: 2, minItems: 2, "
      "maxItems: 2, maxProperties: 0, items: {type: integer, minimum: 1}}";
  const Json pair = Json::array({32, 64});
  for (const Json& value : {Json(64), pair, Json("ab"), Json(true), Json::object()}) {
    EXPECT_THAT(faults(schema, value), IsEmpty()) << value;
  }
  EXPECT_THAT(faults(schema, 0), ElementsAre("x: must be at least 1: 0"));
  EXPECT_THAT(faults(schema, "a"), ElementsAre("x: must have at least 2 characters: \"a\""));
  EXPECT_THAT(faults(schema, {32}), ElementsAre("x: must have at least 2 items"));
  EXPECT_THAT(faults(schema, {32, "a"}), ElementsAre("x[1]: must be of type integer: \"a\""));
  EXPECT_THAT(faults(schema, {{"a", 1}}), ElementsAre("x: must have at most 0 keys"));
  EXPECT_THAT(faults("{x-kubernetes-preserve-unknown-fields: true}", {1, "a"}), IsEmpty());
}

TEST(Schema, NamesThePathOfEveryFault) {
  const std::string schema =
      "{type: object, required: [a], properties: {a: {type: array, items: {type: string}}, "
      "b: {type: object, additionalProperties: {type: integer}}}}";
  EXPECT_THAT(faults(schema, {{"a", {"ok", 2}}, {"b", {{"c", "d"}}}, {"e", 1}}),
              ElementsAre("x.a[1]: must be of type string: 2",
                          "x.b.c: must be of type integer: \"d\"", "x.e: unknown field"));
  EXPECT_THAT(faults(schema, Json::object()), ElementsAre("x: misses a"));
}

TEST(Schema, TakesUnknownFieldsWhereItSaysSoAndChecksTheKnownOnes) {
  const std::string schema =
      "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}";
  EXPECT_THAT(faults(schema, {{"b", {{"c", 1}}}}), IsEmpty());
  EXPECT_THAT(faults(schema, {{"a", 1}}), ElementsAre("x.a: must be of type string: 1"));
}

TEST(Schema, RefusesDuplicateKeysOfAList) {
  const std::string schema =
      "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: "
      "{type: object, required: [name], x-kubernetes-preserve-unknown-fields: true}}";
  EXPECT_THAT(faults(schema, {{{"name", "a"}}, {{"name", "b"}}}), IsEmpty());
  EXPECT_THAT(faults(schema, {{{"name", "a"}, {"v", 1}}, {{"name", "a"}, {"v", 2}}}),
              ElementsAre("x: has the same [\"name\"] twice"));
}

TEST(Schema, LongTextsAreRefusedBeforeTheyAreMatched) {
  EXPECT_THAT(faults("{type: string, maxLength: 9, pattern: '^([a-z]*[a-z])*$'}",
                     std::string(1000000, 'a')),
              ElementsAre(testing::StartsWith("x: must have at most 9 characters")));
}

TEST(Schema, FillsInDefaultsAndDropsNulls) {
  const Json schema = yaml(
      "{type: object, properties: {a: {type: integer, default: 3}, b: {type: string}, "
      "c: {type: object, properties: {d: {type: boolean, default: true}}}, "
      "e: {type: array, items: {type: object, properties: {f: {type: integer, default: 1}}}}}}");
  EXPECT_EQ(with_defaults({{"a", nullptr}, {"b", nullptr}, {"c", Json::object()}}, schema),
            (Json{{"a", 3}, {"c", {{"d", true}}}}));
  EXPECT_EQ(with_defaults(Json::array({Json::array({1})}), yaml("{type: string}")),
            Json::array({Json::array({1})}))
      << "of another type: the schema refuses it";
  EXPECT_EQ(with_defaults({{"a", 4}, {"e", {Json::object()}}, {"g", nullptr}}, schema),
            (Json{{"a", 4}, {"e", {{{"f", 1}}}}, {"g", nullptr}}));
}

TEST(Schema, RefusesAKeywordThatItDoesNotKnowAnywhere) {
  expect_error(ExitCode::kConfig, "unknown keyword: multipleOf",
               [] { require_known_keywords(yaml("{properties: {a: {items: {multipleOf: 2}}}}")); });
  EXPECT_NO_THROW(require_known_keywords(yaml("{properties: {multipleOf: {type: string}}}")));
}

}  // namespace
}  // namespace ganscale::controller
