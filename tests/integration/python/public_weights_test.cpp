#include <gmock/gmock.h>

#include <filesystem>

#include "support/run_program.h"
#include "support/shared_files.h"
#include "support/temporary_folder.h"

namespace ganscale {
namespace {

/// Networks of a fixture, in a file like the public ones, which are converted and imported.
class PublicWeights : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto fixture = shared_file(std::string("fixtures/") + GetParam() + ".safetensors");
    if (!fixture) GTEST_SKIP() << "no reference fixture: " << GetParam();
    fixture_ = fixture->string();
    const auto made = run_program("python3 " SCRIPT " pickle " + fixture_ + " " + path("net.pkl"));
    constexpr int kLacksTorch = 77;
    if (made.exit_code == kLacksTorch) GTEST_SKIP() << "python3 has no torch or safetensors";
    ASSERT_EQ(made.exit_code, 0) << made.output;
    std::string network = path("net.pkl");
    if (fixture_.find("uncond") != std::string::npos) {  // in two steps
      network = path("net.safetensors");
      run("python3 " CONVERTER " " + path("net.pkl") + " " + network);
    }
    run(GANSCALE " import --from " + network + " --run " + path("run"));
  }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  static void run(const std::string& command) {
    const ProgramResult result = run_program(command);
    ASSERT_EQ(result.exit_code, 0) << command << "\n" << result.output;
  }

  const TemporaryFolder folder_;
  std::string fixture_;
};

TEST_P(PublicWeights, EqualTheWeightsOfTheFile) {
  run(GANSCALE " export --run " + path("run") + " --out " + path("g.safetensors"));
  run("python3 " SCRIPT " compare " + fixture_ + " " + path("g.safetensors"));
}

TEST_P(PublicWeights, HaveTheReferencesImages) {
  run(GANSCALE " export --format torchscript --run " + path("run") + " --out " + path("g.pt"));
  run("python3 " SCRIPT " images " + fixture_ + " " + path("g.pt"));
}

/// Returns the result of an import of a file with this content.
ProgramResult import_of(const TemporaryFolder& folder, const std::string& content) {
  const auto file = folder.write("net.pkl", content);
  const auto result = run_program(GANSCALE " import --from " + file.string() + " --run " +
                                  (folder / "runs/new").string());
  EXPECT_FALSE(std::filesystem::exists(folder / "runs/new"));
  EXPECT_TRUE(!std::filesystem::exists(folder / "runs") ||
              std::filesystem::is_empty(folder / "runs"));
  return result;
}

TEST(ImportedPickle, ThatIsDamagedOrOfSomethingElseIsRefused) {
  const TemporaryFolder folder;
  // An empty file, half of a map, a string, and a call of os.system("touch FOLDER/was-run").
  const std::string call = "cos\nsystem\n(S'touch " + (folder / "was-run").string() + "'\ntR.";
  for (const std::string& content :
       {std::string(), std::string("(dp0\nS'G'"), std::string("S'weights'\n."), call}) {
    const ProgramResult result = import_of(folder, content);
    if (result.output.find("pip install torch") != std::string::npos)
      GTEST_SKIP() << "python3 has no torch or safetensors";
    EXPECT_EQ(result.exit_code, 65) << result.output;
    EXPECT_THAT(result.output, testing::HasSubstr("not a network file"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "was-run"));
}

INSTANTIATE_TEST_SUITE_P(OfEachFamily, PublicWeights,
                         testing::Values("r3gan_cond_32", "r3gan_uncond_16", "stylegan3_t_cond_32",
                                         "stylegan3_r_uncond_32"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace ganscale
