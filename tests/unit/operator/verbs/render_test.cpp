// Pins what `render` prints for the samples. After a change that is meant:
//   for name in faces-dgx-a100 queued-dgx-h100 sriov-a100 digits-cpu paragan-dgx-a100; do
//     build/release/bin/ganscale-operator render -f operator-manifests/samples/$name.yaml >$name
//     mv $name tests/golden/operator/$name.yaml
//   done
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/temporary_folder.h"
#include "unit/operator/verbs/run_operator.h"

namespace ganscale::controller {
namespace {

using testing::HasSubstr;
using testing::Not;

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

TEST(Render, LocksMemoryWithoutRootIfTheRuntimeAllowsIt) {
  const std::string words = "render -f " + sample("faces-dgx-a100");
  const ProgramResult root = run_operator(words);
  EXPECT_THAT(root.output, HasSubstr("IPC_LOCK"));
  EXPECT_THAT(root.output, HasSubstr("runAsUser: 0\n"));
  const ProgramResult user = run_operator(words + " --unlimited-memlock");
  EXPECT_EQ(user.exit_code, 0);
  EXPECT_THAT(user.output, Not(HasSubstr("IPC_LOCK")));
  EXPECT_THAT(user.output, Not(HasSubstr("runAsUser: 0\n")));
  EXPECT_THAT(user.output, HasSubstr("runAsNonRoot: true\n"));
  EXPECT_THAT(user.output, HasSubstr("rdma/rdma_shared_device_a"));
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

TEST(Render, PrintsTheTrainingsOfASweepInTheirOrder) {
  const ProgramResult rendered =
      run_operator("render -f " + std::string(PROJECT_FOLDER) + "/configs/sweeps/cpu-1-to-2.yaml");
  EXPECT_EQ(rendered.exit_code, 0);
  EXPECT_THAT(rendered.output, HasSubstr("name: cpu-n2-r3\n"));
  EXPECT_THAT(rendered.output, HasSubstr("batch: 32\n"));
  EXPECT_THAT(rendered.output, HasSubstr("warmup_steps: 20\n"));
}

TEST(CommandLine, PrintsVersionVerbsAndExamples) {
  EXPECT_THAT(run_operator("version").output, HasSubstr("ganscale-operator "));
  EXPECT_THAT(run_operator("--help").output, Not(HasSubstr("  version ")));  // an option only
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
