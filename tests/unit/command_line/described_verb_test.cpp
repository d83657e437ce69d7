#include "command_line/described_verb.h"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>

#include "command_line/completion.h"

namespace ganscale::command_line {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A program with the verbs `data convert` and `train`.
class DescribedVerbTest : public testing::Test {
 protected:
  DescribedVerbTest() {
    CLI::App* convert =
        app_.add_subcommand("data", "Datasets")->add_subcommand("convert", "Convert");
    convert->add_option("--from,-f", from_, "Where from\nand more")->type_name("PATH");
    convert->add_option("--fit", fit_, "How")->check(CLI::IsMember({"pad", "resize"}));
    convert->add_flag("--strict", strict_, "Fail early");
    convert->add_option("name", name_, "Its name");
    app_.add_subcommand("train", "Train");
  }

  DescribedVerb convert() const { return describe(app_).verbs.at(0).verbs.at(0); }

  CLI::App app_{"A program.\n\n  program train\n", "program"};
  std::string from_, fit_, name_;
  bool strict_ = false;
};

TEST_F(DescribedVerbTest, HoldsTheVerbsInTheOrderOfTheHelp) {
  const DescribedVerb program = describe(app_);
  std::vector<std::string> paths, names;
  for (const DescribedVerb* verb : all_verbs(program)) {
    paths.push_back(verb->path);
    names.push_back(verb->name());
  }
  EXPECT_THAT(paths, ElementsAre("", "data", "data convert", "train"));
  EXPECT_THAT(names, ElementsAre("", "data", "convert", "train"));
  EXPECT_EQ(program.description, "A program.");
}

TEST_F(DescribedVerbTest, DescribesTheValueOfAnOption) {
  const auto options = convert().options;
  ASSERT_EQ(options.size(), 5u);  // the first is --help
  EXPECT_THAT(options[0].names, ElementsAre("-h", "--help"));
  EXPECT_FALSE(options[0].takes_value);
  EXPECT_THAT(options[1].names, ElementsAre("-f", "--from"));
  EXPECT_EQ(options[1].description, "Where from");
  EXPECT_TRUE(options[1].takes_value && options[1].takes_path);
  EXPECT_THAT(options[2].choices, ElementsAre("pad", "resize"));
  EXPECT_FALSE(options[2].takes_path);
  EXPECT_FALSE(options[3].takes_value);
  EXPECT_THAT(options[4].names, IsEmpty());
  EXPECT_TRUE(options[4].takes_value);
}

TEST_F(DescribedVerbTest, OfAStarterHasTheVerbsThatItStarts) {
  app_.add_subcommand("launch", "Start others");
  DescribedVerb program = describe(app_);
  add_started_verbs(program, "launch", {"train", "data"});
  const DescribedVerb& launch = program.verbs.at(2);
  EXPECT_EQ(launch.verbs.at(0).path, "launch train");
  EXPECT_EQ(launch.verbs.at(0).name(), "train");
  EXPECT_EQ(launch.verbs.at(1).verbs.at(0).path, "launch data convert");
  EXPECT_EQ(launch.verbs.at(1).verbs.at(0).options.size(), convert().options.size());
}

TEST(ShellWords, SingleQuotesKeepEveryCharacter) {
  EXPECT_EQ(single_quoted("the pod's own $HOME"), R"('the pod'\''s own $HOME')");
}

TEST(ShellWords, CharactersAreEscapedByABackslash) {
  EXPECT_EQ(escaped(R"(a[b]\c)", R"([]\)"), R"(a\[b\]\\c)");
}

TEST(ShellWords, AFunctionsNameHasNoPunctuation) {
  EXPECT_EQ(function_name("ganscale-operator run"), "_ganscale_operator_run");
}

}  // namespace
}  // namespace ganscale::command_line
