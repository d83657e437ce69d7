#include <gmock/gmock.h>

#include <filesystem>
#include <vector>

#include "support/run_program.h"
#include "support/shared_files.h"
#include "support/temporary_folder.h"
#include "support/thorough.h"

namespace ganscale {
namespace {

constexpr int kLacksTorch = 77;

std::string path_of(const std::string& fixture) { return "fixtures/" + fixture + ".safetensors"; }

/// Fixtures of each family that there are; some have labels.
std::vector<std::string> fixtures() {
  auto names = thorough<std::vector<std::string>>(
      {"r3gan_cond_32", "r3gan_uncond_16", "stylegan3_t_cond_32", "stylegan3_r_uncond_32"},
      {"r3gan_cond_32", "stylegan3_r_uncond_32"});
  std::erase_if(names, [](const std::string& name) { return !shared_file(path_of(name)); });
  return names;
}

void run(const std::string& command) {
  const ProgramResult result = run_program(command);
  ASSERT_EQ(result.exit_code, 0) << command << "\n" << result.output;
}

/// Imports a network file, in two steps if it has no labels, and exports its generator both ways.
void import_and_export(const std::string& file, bool has_labels) {
  std::string network = file + ".pkl";
  if (!has_labels) {
    network = file + ".net.safetensors";
    run("python3 " CONVERTER " " + file + ".pkl " + network);
  }
  run(GANSCALE " import --from " + network + " --run " + file);
  run(GANSCALE " export --run " + file + " --out " + file + ".safetensors");
  run(GANSCALE " export --format torchscript --run " + file + " --out " + file + ".pt");
}

// Python imports torch for seconds: once for all fixtures, before and after.
TEST(PublicWeights, OfEachFamilyAreKeptAndMakeTheReferencesImages) {
  const std::vector<std::string> names = fixtures();
  if (names.empty()) GTEST_SKIP() << "no reference fixtures of R3GAN and StyleGAN3";
  const TemporaryFolder folder;
  std::string pickle = "python3 " SCRIPT, check = pickle;
  for (const std::string& name : names) {
    const auto fixture = shared_file(path_of(name));
    const std::string file = (folder / name).string();
    pickle += " pickle " + fixture->string() + " " + file + ".pkl";
    check += " compare " + fixture->string() + " " + file + ".safetensors images " +
             fixture->string() + " " + file + ".pt";
  }
  const ProgramResult made = run_program(pickle);
  if (made.exit_code == kLacksTorch) GTEST_SKIP() << "python3 has no torch or safetensors";
  ASSERT_EQ(made.exit_code, 0) << made.output;
  for (const std::string& name : names) {
    const bool has_labels = name.find("uncond") == std::string::npos;
    ASSERT_NO_FATAL_FAILURE(import_and_export((folder / name).string(), has_labels));
  }
  run(check);
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
  // Half of a map, a call of os.system("touch FOLDER/was-run"), a string, and an empty file.
  const std::string half = "(dp0\nS'G'", string = "S'weights'\n.";
  const std::string call = "cos\nsystem\n(S'touch " + (folder / "was-run").string() + "'\ntR.";
  for (const std::string& content :
       thorough<std::vector<std::string>>({half, call, string, ""}, {half, call})) {
    const ProgramResult result = import_of(folder, content);
    if (result.output.find("pip install torch") != std::string::npos)
      GTEST_SKIP() << "python3 has no torch or safetensors";
    EXPECT_EQ(result.exit_code, 65) << result.output;
    EXPECT_THAT(result.output, testing::HasSubstr("not a network file"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "was-run"));
}

}  // namespace
}  // namespace ganscale
