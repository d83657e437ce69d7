#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "object/json.h"
#include "support/temporary_folder.h"
#include "unit/operator/verbs/run_operator.h"

namespace ganscale::controller {
namespace {

using testing::HasSubstr;

TEST(Validate, DescribesTheTraining) {
  const ProgramResult told = run_operator("validate -f " + sample("faces-dgx-a100"));
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.output, "default/faces: 8 nodes, 64 GPUs, 64 ranks\n");
}

TEST(Validate, DescribesEachSweepOfTheRepository) {
  const std::map<std::string, std::string> expected{
      {"cpu-1-to-2.yaml", "default/cpu: Weak, 2 points of 1 to 2 ranks, 6 runs\n"},
      {"dcgan-cifar10.yaml",
       "default/dcgan-cifar10: PerLabel, 10 points of 1 to 10 ranks, 30 runs\n"},
      {"dcgan-cifar100.yaml",
       "default/dcgan-cifar100: PerLabel, 5 points of 10 to 100 ranks, 15 runs\n"},
      {"dcgan-imagenet.yaml",
       "default/dcgan-imagenet: PerLabel, 5 points of 100 to 1000 ranks, 15 runs\n"},
      {"dcgan-mnist.yaml", "default/dcgan-mnist: PerLabel, 10 points of 1 to 10 ranks, 30 runs\n"},
      {"gpus-1-to-8.yaml", "default/gpus: Strong, 4 points of 1 to 8 ranks, 12 runs\n"},
      {"loppi-strong.yaml", "default/strong: Strong, 3 points of 8 to 32 ranks, 9 runs\n"},
      {"loppi-v100.yaml", "default/v100: Strong, 2 points of 4 to 16 ranks, 6 runs\n"},
      {"loppi-weak.yaml", "default/weak: Weak, 4 points of 8 to 64 ranks, 12 runs\n"},
      {"paragan-strong.yaml",
       "default/paragan-strong: Strong, 6 points of 32 to 1024 ranks, 18 runs\n"},
      {"paragan-weak.yaml", "default/paragan-weak: Weak, 8 points of 8 to 1024 ranks, 24 runs\n"},
      {"wcgan-imagenet.yaml",
       "default/wcgan-imagenet: PerLabel, 7 points of 4 to 1000 ranks, 21 runs\n"}};
  std::map<std::string, std::string> told;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(PROJECT_FOLDER) + "/configs/sweeps")) {
    told[file.path().filename()] = run_operator("validate -f " + file.path().string()).output;
  }
  EXPECT_EQ(told, expected);
}

TEST(Validate, RefusesWithTheKeyAndExitCode78) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& spec) {
    const auto file =
        folder.write("training.yaml",
                     "kind: GanTraining\nmetadata: {name: a}\nspec: {image: x, " + spec + "}\n");
    const ProgramResult result = run_operator("validate -f " + file.string());
    EXPECT_EQ(result.exit_code, 78);
    return result.output;
  };
  EXPECT_THAT(refused("nodeProfile: dgx-z9"), HasSubstr("spec.nodeProfile: unknown: dgx-z9"));
  EXPECT_THAT(refused("nodeProfile: cpu, nodes: many"),
              HasSubstr("spec.nodes: expected an integer"));
  EXPECT_THAT(refused("nodeProfile: cpu, config: {training: {batch: soon}}"),
              HasSubstr("spec.config.training.batch"));
  EXPECT_THAT(refused("nodeProfile: cpu, nodes: 3, config: {training: {batch: 64}}"),
              HasSubstr("must be divisible by the number of ranks: 64 on 3"));
  const auto sweep = folder.write("sweep.yaml",
                                  "kind: ScalingSweep\nmetadata: {name: a}\nspec: {mode: Weak, "
                                  "points: [{nodes: 1}], template: {image: x}}\n");
  const ProgramResult result = run_operator("validate -f " + sweep.string());
  EXPECT_EQ(result.exit_code, 78);
  EXPECT_THAT(result.output, HasSubstr("default/a: spec.batchPerRank: mode Weak needs"));
  const auto pod = folder.write("pod.yaml", "kind: Pod\nmetadata: {name: a}\n");
  EXPECT_THAT(run_operator("validate -f " + pod.string()).output,
              HasSubstr("unsupported kind Pod: expected GanTraining or ScalingSweep"));
}

constexpr auto kTraining =
    "apiVersion: ganscale.dev/v1alpha1\nkind: GanTraining\nmetadata: {name: a}\n"
    "spec: {image: x, nodeProfile: generic-gpu}\n";

TEST(Validate, CountsOneInTheSingular) {
  const TemporaryFolder folder;
  const auto file = folder.write("training.yaml", kTraining);
  EXPECT_EQ(run_operator("validate -f " + file.string()).output,
            "default/a: 1 node, 1 GPU, 1 rank\n");
}

TEST(Validate, SkipsObjectsOfOtherApis) {
  const TemporaryFolder folder;
  const std::string claim =
      "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a-runs}\n";
  const auto both = folder.write("both.yaml", claim + "---\n" + kTraining);
  const ProgramResult result = run_operator("validate -f " + both.string());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output,
            "Skipped an object of another kind  kind=PersistentVolumeClaim  name=a-runs\n"
            "default/a: 1 node, 1 GPU, 1 rank\n");
  const auto only = folder.write("claim.yaml", claim);
  const ProgramResult refused = run_operator("validate -f " + only.string());
  EXPECT_EQ(refused.exit_code, 78);
  EXPECT_THAT(refused.output, HasSubstr("claim.yaml: unsupported kind PersistentVolumeClaim: "
                                        "expected GanTraining or ScalingSweep"));
  const auto slip =
      folder.write("slip.yaml", std::string(kTraining) +
                                    "---\napiVersion: ganscale.dev/v1alpha1\nkind: GanTrainnig\n"
                                    "metadata: {name: b}\n");
  EXPECT_THAT(run_operator("validate -f " + slip.string()).output,
              HasSubstr("unsupported kind GanTrainnig"));
}

TEST(Validate, ReadsStandardInput) {
  const TemporaryFolder folder;
  const auto file = folder.write("training.yaml", kTraining);
  EXPECT_EQ(run_operator("validate -f - <" + file.string()).output,
            "default/a: 1 node, 1 GPU, 1 rank\n");
  const auto list = folder.write("list.yaml", "[1]\n");
  EXPECT_THAT(run_operator("validate -f - <" + list.string()).output,
              HasSubstr("standard input: no kind: expected GanTraining or ScalingSweep"));
}

TEST(Validate, SaysThatAFileIsEmpty) {
  const TemporaryFolder folder;
  const auto file = folder.write("empty.yaml", "");
  const ProgramResult result = run_operator("validate -f " + file.string());
  EXPECT_EQ(result.exit_code, 78);
  EXPECT_THAT(result.output, HasSubstr("the file is empty: " + file.string()));
  EXPECT_THAT(run_operator("validate -f - </dev/null").output,
              HasSubstr("standard input is empty"));
  const auto comment = folder.write("comment.yaml", "# nothing yet\n");
  EXPECT_THAT(run_operator("validate -f " + comment.string()).output,
              HasSubstr("comment.yaml: contains no object"));
  EXPECT_THAT(run_operator("validate -f " + folder.path().string()).output,
              HasSubstr("can't read the file: "));
}

TEST(Validate, TakesOneMapInPlaceOfAConfigMap) {
  const TemporaryFolder folder;
  const auto training = folder.write("training.yaml",
                                     "kind: GanTraining\nmetadata: {name: a}\nspec: {image: x, "
                                     "nodeProfile: cpu, configFrom: {name: theirs}}\n");
  const auto refused = [&](const std::string& words) {
    const ProgramResult result = run_operator("validate -f " + training.string() + words);
    EXPECT_EQ(result.exit_code, 78) << words;
    return result.output;
  };
  const auto refused_text = [&](const std::string& text) {
    return refused(" --config-from " + folder.write("config.yaml", text).string());
  };
  EXPECT_THAT(refused(""), HasSubstr("spec.configFrom: no cluster is asked for the ConfigMap: give "
                                     "its YAML with --config-from FILE"));
  EXPECT_THAT(refused_text("# nothing yet\n"),
              HasSubstr("config.yaml: --config-from takes one YAML map, and this is 0 documents"));
  EXPECT_THAT(refused_text("training: {batch: 8}\n---\ntraining: {batch: 4}\n"),
              HasSubstr("config.yaml: --config-from takes one YAML map, and this is 2 documents"));
  EXPECT_THAT(refused_text("[1]\n"), HasSubstr("and this is another value: [1]"));
}

TEST(Validate, RefusesEverySpecOfTheTableThatTheApiServerRefuses) {
  const TemporaryFolder folder;
  std::ifstream table(std::string(PROJECT_FOLDER) + "/tests/support/refused_specs.json");
  for (const Json& row : Json::parse(table)) {
    if (row.contains("before")) continue;  // an edit
    const Json object = {{"apiVersion", "ganscale.dev/v1alpha1"},
                         {"kind", row["kind"]},
                         {"metadata", row["metadata"]},
                         {"spec", row["spec"]}};
    const auto file = folder.write("refused.yaml", object.dump());
    EXPECT_EQ(run_operator("validate -f " + file.string()).exit_code, 78) << row;
  }
}

ProgramResult validate_training(const std::string& spec) {
  const TemporaryFolder folder;
  const auto file = folder.write("training.yaml",
                                 "apiVersion: ganscale.dev/v1alpha1\nkind: GanTraining\n"
                                 "metadata: {name: a}\nspec: {image: x, nodeProfile: cpu, " +
                                     spec + "}\n");
  return run_operator("validate -f " + file.string());
}

TEST(Validate, ChecksTheDefinitionToo) {
  EXPECT_THAT(validate_training("queueName: \"\"").output,
              HasSubstr("default/a: spec.queueName: must match ^[a-z0-9]"));
  EXPECT_THAT(validate_training("priorityClassName: \"\"").output,
              HasSubstr("default/a: spec.priorityClassName: must match"));
  EXPECT_THAT(validate_training("nods: 2").output, HasSubstr("spec.nods: unknown field"));
  EXPECT_EQ(validate_training("queueName: research").exit_code, 0);
}

TEST(Validate, ReadsBooleansAsKubectlDoes) {
  EXPECT_EQ(validate_training("suspend: yes").exit_code, 0);
  const ProgramResult refused = validate_training("queueName: on");
  EXPECT_EQ(refused.exit_code, 78);
  EXPECT_THAT(refused.output, HasSubstr("spec.queueName: expected a text: true"));
}

TEST(Validate, TakesImagesThatAreNotSquares) {
  const auto validate_resolution = [](const std::string& resolution) {
    return validate_training("config: {model: {name: dcgan, resolution: " + resolution + "}}");
  };
  const ProgramResult taken = validate_resolution("[32, 64]");
  EXPECT_EQ(taken.exit_code, 0) << taken.output;
  for (const char* wrong : {"0", "[32]", "[32, 48]", "32x64"}) {
    const ProgramResult refused = validate_resolution(wrong);
    EXPECT_EQ(refused.exit_code, 78) << wrong;
    EXPECT_THAT(refused.output, HasSubstr("spec.config.model.resolution")) << wrong;
  }
}

TEST(Validate, ChecksTheTrainingsOfASweep) {
  const TemporaryFolder folder;
  const auto file =
      folder.write("sweep.yaml",
                   "apiVersion: ganscale.dev/v1alpha1\nkind: ScalingSweep\nmetadata: {name: s}\n"
                   "spec: {mode: Weak, points: [{nodes: 1}], batchPerRank: 8, template: {image: x, "
                   "nodeProfile: cpu, queueName: \"\"}}\n");
  const ProgramResult refused = run_operator("validate -f " + file.string());
  EXPECT_EQ(refused.exit_code, 78);
  EXPECT_THAT(refused.output, HasSubstr("default/s: spec.template.queueName: must match"));
}

}  // namespace
}  // namespace ganscale::controller
