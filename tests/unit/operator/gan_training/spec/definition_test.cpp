// The CEL rules of the CustomResourceDefinitions name the schemes, variables, volumes, mount paths
// and node profiles of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>

#include "gan_training/plan/pod_overlay.h"
#include "gan_training/spec/mount_paths.h"
#include "gan_training/spec/node_profile.h"
#include "wire/names.h"
#include "wire/scheme.h"

namespace ganscale::controller::gan_training {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

/// The text of a definition, with single spaces for line breaks.
std::string definition(const std::string& kind) {
  std::ifstream file(std::string(DEFINITIONS) + "/" + kind + ".ganscale.dev.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return std::regex_replace(text, std::regex(R"(\s+)"), " ");
}

std::vector<std::smatch> matches(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator(text.begin(), text.end(), pattern), {}};
}

/// Returns the lists that rules look for the scheme in; a rule that asks for it otherwise gives
/// another text.
std::vector<std::string> asked_schemes(const std::string& text) {
  static const std::regex kNoted(R"(has\([\w.]*scheme\.name\))");
  static const std::regex kAsked(
      R"(config\.scheme\.name(?!:)( in \[[^\]]*\])?)");  // ":": in a message
  const std::string asked = std::regex_replace(text, kNoted, "");
  std::vector<std::string> lists;
  for (const auto& match : matches(asked, kAsked)) {
    lists.push_back(match[1].str());
  }
  return lists;
}

/// The schemes of a kind of sharing, as CEL asks for them: in ['synchronous'].
std::string in_schemes_of(wire::Sharing sharing) {
  std::string list;
  for (const wire::Scheme& scheme : wire::kSchemes) {
    if (scheme.sharing != sharing) continue;
    list += (list.empty() ? "'" : ", '") + std::string(scheme.name) + "'";
  }
  return " in [" + list + "]";
}

TEST(Definition, AsksForTheSchemesOfTheTable) {
  const std::string batch = in_schemes_of(wire::Sharing::kBatch);
  EXPECT_EQ(batch, " in ['synchronous']");
  for (const char* kind : {"gantrainings", "scalingsweeps"}) {
    EXPECT_THAT(asked_schemes(definition(kind)),
                ElementsAre(in_schemes_of(wire::Sharing::kLabels), batch))
        << kind;
  }
}

/// Returns the names in a list of CEL: ['run', 'tmp'].
std::vector<std::string> names_in(const std::string& list) {
  static const std::regex kQuoted("'([^']*)'");
  std::vector<std::string> names;
  for (const auto& match : matches(list, kQuoted)) names.push_back(match[1].str());
  return names;
}

/// Returns the lists that rules look for a value in: (v.name in ['run', 'tmp']).
std::vector<std::vector<std::string>> lists_for(const std::string& value, const std::string& text) {
  std::vector<std::vector<std::string>> lists;
  for (const auto& match : matches(text, std::regex(R"(\()" + value + R"( in \[([^\]]*)\])"))) {
    lists.push_back(names_in(match[1]));
  }
  return lists;
}

/// Returns the names of two tables.
template <class First, class Second>
std::vector<std::string> both(const First& first, const Second& second) {
  std::vector<std::string> names(first.begin(), first.end());
  names.insert(names.end(), second.begin(), second.end());
  return names;
}

TEST(Definition, RefusesTheVariablesAndVolumesThatAreTheOperators) {
  const std::string text = definition("gantrainings");
  EXPECT_THAT(lists_for("e.name", text),
              ElementsAre(UnorderedElementsAreArray(both(wire::environment::kAll, kMpiVariables))));
  const std::vector<std::string> volumes(kOwnVolumes.begin(), kOwnVolumes.end());
  EXPECT_THAT(lists_for("v.name", text), ElementsAre(UnorderedElementsAreArray(volumes)));
}

TEST(Definition, RefusesTheMountPathsThatAreTheOperators) {
  const std::string text = definition("gantrainings");
  const std::vector<std::string> paths = both(kOwnMounts, kOwnFolders);
  for (const std::string path : {"m.mountPath", "self"}) {
    EXPECT_THAT(lists_for(path, text), ElementsAre(UnorderedElementsAreArray(paths))) << path;
    for (const std::string_view folder : kOwnFolders) {
      EXPECT_THAT(text, HasSubstr("!" + path + ".startsWith('" + std::string(folder) + "/')"));
    }
  }
}

/// Returns the numbers that rules know for node profiles: 'summit-v100' ? 6.
std::multimap<std::string, int> known_numbers(const std::string& text) {
  static const std::regex kNumbers(R"(nodeProfile (?:==|in) \[?([^\]?]*)\]? \? (\d+))");
  std::multimap<std::string, int> numbers;
  for (const auto& match : matches(text, kNumbers)) {
    for (const std::string& name : names_in(match[1])) {
      numbers.emplace(name, std::stoi(match[2]));
    }
  }
  return numbers;
}

TEST(Definition, HasTheGpusAndRanksOfTheNodeProfiles) {
  const NodeProfiles profiles = built_in_node_profiles();
  for (const char* kind : {"gantrainings", "scalingsweeps"}) {
    const auto numbers = known_numbers(definition(kind));
    for (const auto& [name, number] : numbers) {
      ASSERT_TRUE(profiles.contains(name)) << kind << " " << name;
      EXPECT_THAT((std::vector{profiles.at(name).gpus, profiles.at(name).ranks}), Contains(number))
          << kind << " " << name;
    }
    for (const auto& [name, profile] : profiles) {
      EXPECT_TRUE(profile.ranks == 1 || numbers.contains(name)) << kind << " " << name;
    }
  }
}

}  // namespace
}  // namespace ganscale::controller::gan_training
