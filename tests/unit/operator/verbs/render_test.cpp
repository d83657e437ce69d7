// Pins what `render` prints for the samples. After a change that is meant:
//   for name in faces-dgx-a100 queued-dgx-h100 sriov-a100 digits-cpu paragan-dgx-a100; do
//     build/release/bin/ganscale-operator render -f operator-manifests/samples/$name.yaml >$name
//     mv $name tests/golden/operator/$name.yaml
//   done
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "support/run_program.h"
#include "support/temporary_folder.h"

namespace ganscale::controller {
namespace {

using testing::HasSubstr;

ProgramResult run_operator(const std::string& words) {
  return run_program(std::string(OPERATOR) + " " + words);
}

std::string sample(const std::string& name) {
  return std::string(PROJECT_FOLDER) + "/operator-manifests/samples/" + name + ".yaml";
}

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, ObjectsOfTheSampleAreAsPinned) {
  const std::string name = GetParam();
  const ProgramResult rendered = run_operator("render -f " + sample(name));
  EXPECT_EQ(rendered.exit_code, 0);
  std::ifstream file(std::string(PROJECT_FOLDER) + "/tests/golden/operator/" + name + ".yaml");
  std::ostringstream pinned;
  pinned << file.rdbuf();
  EXPECT_EQ(rendered.output, pinned.str());
}

INSTANTIATE_TEST_SUITE_P(Samples, Golden,
                         testing::Values("faces-dgx-a100", "queued-dgx-h100", "sriov-a100",
                                         "digits-cpu", "paragan-dgx-a100"));

TEST(Render, TakesProfilesAndConfigurationFromFiles) {
  const TemporaryFolder folder;
  const auto training = folder.write("training.yaml",
                                     "kind: GanTraining\nmetadata: {name: a}\nspec: {image: x, "
                                     "nodeProfile: mine, configFrom: {name: theirs}}\n");
  folder.write("profiles/mine.yaml", "gpus: 2\n");
  const auto config = folder.write("config.yaml", "training: {batch: 34}\n");
  const ProgramResult rendered = run_operator(
      "render -f " + training.string() + " --config-from " + config.string() + " --node-profiles " +
      (folder / "profiles").string() + " --operator-namespace ops");
  EXPECT_EQ(rendered.exit_code, 0);
  EXPECT_THAT(rendered.output, HasSubstr("slotsPerWorker: 2\n"));
  EXPECT_THAT(rendered.output, HasSubstr("batch: 34\n"));
  EXPECT_THAT(rendered.output, HasSubstr("kubernetes.io/metadata.name: ops\n"));
}

/// Renders a training on nodes with so many GPUs. keys: of its spec besides image and profile.
ProgramResult render_on(int gpus, const std::string& keys) {
  const TemporaryFolder folder;
  const auto training =
      folder.write("training.yaml",
                   "kind: GanTraining\nmetadata: {name: a}\nspec: {image: x, nodeProfile: mine, " +
                       keys + "}\n");
  folder.write("profiles/mine.yaml", "gpus: " + std::to_string(gpus) + "\n");
  return run_operator("render -f " + training.string() + " --node-profiles " +
                      (folder / "profiles").string());
}

TEST(Render, ShowsWhichRanksOfAReplicaPlayWhichRole) {
  const ProgramResult rendered = render_on(
      4, "nodes: 2, config: {scheme: {name: asynchronous, ratio: \"1:3\"}, training: {batch: 12}}");
  EXPECT_EQ(rendered.exit_code, 0);
  EXPECT_THAT(rendered.output,
              HasSubstr("# default/a, replica 0: generator: 0; discriminator: 1 2 3\n"
                        "# default/a, replica 1: generator: 4; discriminator: 5 6 7\n"));
}

TEST(Render, ShowsBothRolesInAProcessThatIsAlone) {
  const ProgramResult rendered = render_on(1, "nodes: 1, config: {scheme: {name: asynchronous}}");
  EXPECT_EQ(rendered.exit_code, 0);
  EXPECT_THAT(rendered.output,
              HasSubstr("# default/a, replica 0: generator: 0; discriminator: 1\n"));
}

TEST(Validate, TellsWhatTheTrainingIs) {
  const ProgramResult told = run_operator("validate -f " + sample("faces-dgx-a100"));
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.output, "default/faces: 8 nodes, 64 GPUs, 64 ranks\n");
}

TEST(Validate, TellsWhatEachSweepOfTheRepositoryIs) {
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

TEST(Render, PrintsTheTrainingsOfASweepInTheirOrder) {
  const ProgramResult rendered =
      run_operator("render -f " + std::string(PROJECT_FOLDER) + "/configs/sweeps/cpu-1-to-2.yaml");
  EXPECT_EQ(rendered.exit_code, 0);
  EXPECT_THAT(rendered.output, HasSubstr("name: cpu-n2-r3\n"));
  EXPECT_THAT(rendered.output, HasSubstr("batch: 32\n"));
  EXPECT_THAT(rendered.output, HasSubstr("warmup_steps: 20\n"));
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
              HasSubstr("expected a kind of GanTraining, ScalingSweep: Pod"));
}

TEST(CommandLine, TellsItsVersionItsVerbsAndExamples) {
  EXPECT_THAT(run_operator("version").output, HasSubstr("ganscale-operator "));
  for (const char* verb : {"run", "render", "validate", "report"}) {
    const ProgramResult help = run_operator(std::string(verb) + " --help");
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.output, HasSubstr("Example"));
  }
  EXPECT_EQ(run_operator("dance").exit_code, 64);
  EXPECT_EQ(run_operator("render").exit_code, 64);
}

}  // namespace
}  // namespace ganscale::controller
