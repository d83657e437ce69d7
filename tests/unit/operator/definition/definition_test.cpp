#include "definition/definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "object/yaml.h"

namespace ganscale::controller {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

const Definition& definition(const std::string& kind) {
  static const std::vector<Definition> all = built_in_definitions();
  const auto found = std::ranges::find(all, kind, &Definition::kind);
  EXPECT_NE(found, all.end()) << kind;
  return *found;
}

Json training(const Json& spec) {
  Json object = {{"apiVersion", "ganscale.dev/v1alpha1"},
                 {"kind", "GanTraining"},
                 {"metadata", {{"name", "faces"}}},
                 {"spec", {{"image", "x"}, {"nodeProfile", "cpu"}}}};
  object["spec"].update(spec);
  return object;
}

TEST(Definitions, GiveANewObjectAnUnobservedStatus) {
  for (const char* name : {"gantrainings", "scalingsweeps"}) {
    const Json file =
        read_yaml_file(std::string(DEFINITIONS) + "/" + name + ".ganscale.dev.yaml").at(0);
    const Json status = file.at(
        Json::json_pointer("/spec/versions/0/schema/openAPIV3Schema/properties/status/default"));
    EXPECT_EQ(status, Json({{"observedGeneration", -1}})) << name;
  }
}

/// The table of specs that both `validate` and a real API server refuse: tests/cluster reads it,
/// too. `before`: the stored object that the spec is an edit of.
Json refused_specs() {
  std::ifstream file(REFUSED_SPECS);
  return Json::parse(file);
}

std::vector<std::string> faults_of(const Json& row) {
  const Json object = {{"apiVersion", "ganscale.dev/v1alpha1"},
                       {"kind", row["kind"]},
                       {"metadata", row["metadata"]},
                       {"spec", row["spec"]}};
  Json before = row.value("before", Json());
  if (!before.is_null()) before["metadata"] = row["metadata"];
  return definition(row["kind"]).faults(object, before);
}

TEST(Definition, RefusesEachSpecOfTheTableForItsReasonAlone) {
  for (const Json& row : refused_specs()) {
    EXPECT_THAT(faults_of(row), ElementsAre(row["fault"].get<std::string>())) << row;
  }
}

/// Whether a fault is what a rule says.
bool says(const Rule& rule, const std::string& fault) {
  const std::function<bool(const cel::Expression&)> holds = [&](const cel::Expression& part) {
    return part.value == fault || std::ranges::any_of(part.parts, holds);
  };
  return rule.message == fault || (rule.message_expression && holds(*rule.message_expression));
}

void expect_broken(const RuleTree& tree, const std::vector<std::string>& faults) {
  for (const Rule& rule : tree.rules) {
    EXPECT_TRUE(
        std::ranges::any_of(faults, [&](const std::string& fault) { return says(rule, fault); }))
        << "no spec of the table breaks the rule: " << rule.text;
  }
  for (const RuleTree& inner : tree.inner) expect_broken(inner, faults);
}

TEST(Definition, HasARefusedSpecForEachRule) {
  for (const char* kind : {"GanTraining", "ScalingSweep"}) {
    std::vector<std::string> faults;
    for (const Json& row : refused_specs()) {
      if (row["kind"] == kind) faults.push_back(row["fault"]);
    }
    EXPECT_FALSE(definition(kind).rules().rules.empty());
    expect_broken(definition(kind).rules(), faults);
  }
}

TEST(Definition, TakesTheSamples) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(SAMPLES)) {
    for (const Json& object : read_yaml_file(file.path())) {
      EXPECT_THAT(definition(object["kind"]).faults(object), IsEmpty()) << file.path();
      ++count;
    }
  }
  EXPECT_GE(count, 4);
}

/// A volume of a training, at a path or at its default.
Json volume(const std::string& path = "") {
  Json claim = {{"claimName", "c"}};
  if (!path.empty()) claim["path"] = path;
  return claim;
}

Json with_net(Json spec, const std::string& path = "") {
  spec["evaluation"]["featureNet"] = volume(path);
  return spec;
}

TEST(Definition, TakesVolumesAtPathsOfTheirOwn) {
  for (const Json& spec :
       {Json({{"data", volume()}, {"storage", volume()}}),
        Json({{"data", volume("/runs")}, {"storage", volume("/data")}}),
        Json({{"data", volume("/a")}, {"storage", volume("/a/b")}}),
        Json({{"storage", volume("/data")}}), Json({{"storage", volume("/tmp/runs")}}),
        with_net(Json::object(), "/data"), with_net({{"data", volume()}, {"storage", volume()}})}) {
    EXPECT_THAT(definition("GanTraining").faults(training(spec)), IsEmpty()) << spec;
  }
}

TEST(Definition, TakesSubPathsThatStayInTheirVolume) {
  for (const char* path : {"", "a/b/", "..a", "a../..b", "..."}) {
    Json folder = volume();
    folder["subPath"] = path;
    EXPECT_THAT(definition("GanTraining").faults(training({{"data", folder}})), IsEmpty()) << path;
  }
}

TEST(Definition, TakesAHeightAndAWidthAndComparesThem) {
  const auto with_resolution = [](const Json& resolution) {
    return training({{"config", {{"model", {{"resolution", resolution}}}}}});
  };
  const Json wide = Json::array({32, 64});
  const Json high = Json::array({64, 32});
  for (const Json& resolution : {Json(32), wide}) {
    EXPECT_THAT(definition("GanTraining").faults(with_resolution(resolution)), IsEmpty());
  }
  Json before = with_resolution(wide);
  before["status"] = {{"kimg", 12.5}};
  EXPECT_THAT(definition("GanTraining").faults(with_resolution(wide), before), IsEmpty());
  EXPECT_THAT(definition("GanTraining").faults(with_resolution(high), before),
              Contains(testing::HasSubstr("spec.config.model can't change")));
}

TEST(Definition, TakesNullsOfKnownFieldsAndItsOwnStatus) {
  Json object = training({{"queueName", nullptr}, {"nodes", nullptr}});
  object["status"] = {{"phase", 7}};
  object["metadata"]["annotations"] = {{"a", "b"}};
  object["metadata"]["managedFields"] = Json::array();
  EXPECT_THAT(definition("GanTraining").faults(object), IsEmpty());
}

TEST(Definition, ChecksNamespaceAndKeysOfMetadata) {
  const auto faults_with = [](const Json& metadata) {
    Json object = training(Json::object());
    object["metadata"].update(metadata);
    return definition("GanTraining").faults(object);
  };
  for (const char* good : {"", "team", "team-7"}) {
    EXPECT_THAT(faults_with({{"namespace", good}}), IsEmpty()) << good;
  }
  for (const std::string& bad : {std::string("Team"), std::string("a.b"), std::string(64, 'a')}) {
    EXPECT_THAT(faults_with({{"namespace", bad}}),
                ElementsAre(testing::StartsWith("metadata.namespace: must ")));
  }
  const Json words = {{"Example", ""}, {"example.com/Key", ""}};
  EXPECT_THAT(faults_with({{"labels", words}, {"annotations", words}}), IsEmpty());
  const Json upper = {{"Example.com/key", ""}};
  EXPECT_THAT(faults_with({{"annotations", upper}}), IsEmpty()) << "as the API server";
  EXPECT_THAT(faults_with({{"labels", upper}}),
              ElementsAre(testing::StartsWith("metadata.labels: must be at most 63 letters")));
}

TEST(Definition, RefusesWhatIsNotAnObject) {
  for (const Json& value : {Json("faces"), Json(7), Json(nullptr), Json::array()})
    EXPECT_FALSE(definition("GanTraining").faults(value).empty()) << value;
}

TEST(Definition, RequiresItsApiVersion) {
  Json object = training(Json::object());
  object["apiVersion"] = "ganscale.dev/v2";
  EXPECT_THAT(definition("GanTraining").faults(object),
              ElementsAre("apiVersion: must be one of [\"ganscale.dev/v1alpha1\"]: "
                          "\"ganscale.dev/v2\""));
  object.erase("apiVersion");
  EXPECT_THAT(definition("GanTraining").faults(object), ElementsAre("misses apiVersion"));
}

TEST(Definition, ChecksRulesOnceTheSchemaIsSatisfied) {
  const Json object = training({{"nodes", 0}, {"node", Json::object()}});
  EXPECT_THAT(definition("GanTraining").faults(object),
              ElementsAre("spec.nodes: must be at least 1: 0"));
}

TEST(Definition, AllowsEditsOfATrainingThatDoesNotRun) {
  Json before = training({{"storage", {{"claimName", "runs"}}}});
  const Json moved = training({{"storage", {{"claimName", "elsewhere"}}}});
  before["status"] = {{"phase", "Suspended"}, {"kimg", 0.0}};
  EXPECT_THAT(definition("GanTraining").faults(moved, before), IsEmpty());
  before["status"]["phase"] = "Running";
  EXPECT_THAT(definition("GanTraining").faults(moved, before),
              Contains(testing::HasSubstr("spec.storage can't change")));
}

}  // namespace
}  // namespace ganscale::controller
