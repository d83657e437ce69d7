#include <gtest/gtest.h>

#include "support/run_program.h"
#include "support/temporary_folder.h"

namespace ganscale {
namespace {

constexpr auto kFont = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf";

/// Runs the program under test; fails the test if it fails.
void ganscale(const std::string& arguments) {
  const ProgramResult result = run_program(GANSCALE " " + arguments);
  ASSERT_EQ(result.exit_code, 0) << arguments << "\n" << result.output;
}

class Export : public testing::TestWithParam<const char*> {};

TEST_P(Export, GivesTheSameImagesInPythonAsScriptAndAsWeights) {
  if (!std::filesystem::exists(kFont)) GTEST_SKIP() << "no emoji font at " << kFont;
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  ganscale("data convert --from-font --resolution 32 --to " + path("emoji"));
  ganscale(
      "train --run " + path("run") + " --set data.path=" + path("emoji") +
      " --set model.name=" + GetParam() +
      " --set training.batch=4 --set training.total_kimg=0.012 --set telemetry.metrics_port=-1" +
      " --set telemetry.control_port=-1");
  ganscale("export --format torchscript --run " + path("run") + " --out " + path("g.pt"));
  ganscale("export --format safetensors --run " + path("run") + " --out " + path("g.safetensors"));
  const auto compared =
      run_program("python3 " SCRIPT " " + path("g.pt") + " " + path("g.safetensors"));
  if (compared.exit_code == 77) GTEST_SKIP() << "python3 on the PATH has no torch or safetensors";
  EXPECT_EQ(compared.exit_code, 0) << compared.output;
}

INSTANTIATE_TEST_SUITE_P(Models, Export, testing::Values("dcgan", "conditional_dcgan"));

}  // namespace
}  // namespace ganscale
