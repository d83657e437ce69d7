#include <gmock/gmock.h>

#include <optional>

#include "files/atomic_file.h"
#include "support/run_program.h"
#include "support/shared_files.h"
#include "support/temporary_folder.h"

namespace ganscale {
namespace {

constexpr const char* kFixture = "fixtures/stylegan2_cond_16.safetensors";
constexpr int kNoTorch = 77;

/// A run of small conditional networks, imported once for all cases from a file like the public
/// ones.
class StyleFeatures : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_.emplace();
    const auto fixture = shared_file(kFixture);
    if (!fixture) return;
    fixture_ = fixture->string();
    const auto made = run_program("python3 " SCRIPT " pickle " + fixture_ + " " + path("net.pkl") +
                                  " save " + fixture_ + " " + path("networks.pt"));
    has_torch_ = made.exit_code != kNoTorch;
    if (!has_torch_) return;
    ASSERT_EQ(made.exit_code, 0) << made.output;
    run("python3 " CONVERTER " " + path("net.pkl") + " " + path("net.safetensors"));
    ganscale("import --from " + path("net.safetensors") + " --run " + path("run"));
  }
  static void TearDownTestSuite() { folder_.reset(); }

  void SetUp() override {
    if (fixture_.empty()) GTEST_SKIP() << "no reference fixture: " << kFixture;
    if (!has_torch_) GTEST_SKIP() << "python3 has no torch or safetensors";
  }

  static std::string path(const char* name) { return (*folder_ / name).string(); }
  static void run(const std::string& command) {
    const ProgramResult result = run_program(command);
    ASSERT_EQ(result.exit_code, 0) << command << "\n" << result.output;
  }
  static void ganscale(const std::string& arguments) { run(GANSCALE " " + arguments); }

  inline static std::optional<TemporaryFolder> folder_;
  inline static std::string fixture_;
  inline static bool has_torch_ = true;
};

TEST_F(StyleFeatures, ImportedWeightsEqualTheFileAndMakeTheReferencesImages) {
  ganscale("export --run " + path("run") + " --out " + path("g.safetensors"));
  ganscale("export --format torchscript --run " + path("run") + " --out " + path("g.pt"));
  run("python3 " SCRIPT " compare " + fixture_ + " " + path("g.safetensors") + " images " +
      fixture_ + " " + path("g.pt"));
}

TEST_F(StyleFeatures, ImportKeepsThePrecisionAndTheClampOfTheFile) {
  const std::string config = files::read_file(path("run/config.yaml"));
  for (const char* line : {"precision: fp16", "low_precision_resolutions: 2", "conv_clamp: 256"}) {
    EXPECT_THAT(config, testing::HasSubstr(line));
  }
}

// The same networks by torch.save(), read where no Python is found, with the configuration of the
// run.
TEST_F(StyleFeatures, SavedByPytorchAreImportedWithoutPython) {
  const std::string import =
      "PATH=/nowhere " GANSCALE " import --from " + path("networks.pt") + " --run " + path("saved");
  const ProgramResult unnamed = run_program(import);
  EXPECT_EQ(unnamed.exit_code, 64);
  EXPECT_THAT(unnamed.output, testing::HasSubstr("does not say of which model it is"));
  const ProgramResult imported =
      run_program(import + " --config " + path("run/config.yaml") + " --labels 10");
  ASSERT_EQ(imported.exit_code, 0) << imported.output;
  EXPECT_THAT(imported.output, testing::HasSubstr("tensors=0  other_values=1"));
  ganscale("export --run " + path("saved") + " --out " + path("saved.safetensors"));
  run("python3 " SCRIPT " compare " + fixture_ + " " + path("saved.safetensors"));
}

TEST_F(StyleFeatures, TruncationToNothingMakesAllImagesTheMean) {
  const auto generate = [&](const std::string& more, const char* name) {
    ganscale("generate --run " + path("run") + " --labels 3 " + more + " --out " + path(name));
    return files::read_file(path(name));
  };
  EXPECT_EQ(generate("--seeds 1 --truncation 0", "a.png"),
            generate("--seeds 2 --truncation 0", "b.png"));
  EXPECT_NE(generate("--seeds 1 --truncation 1", "c.png"),
            generate("--seeds 2 --truncation 1", "d.png"));
}

TEST_F(StyleFeatures, MixesWalksAndProjects) {
  const std::string generate = "generate --run " + path("run");
  ganscale(generate + " --labels 3 --mix-rows 1-2 --mix-columns 3-5 --mix-layers 0-3 --out " +
           path("mixed.png"));
  ganscale(generate + " --seeds 1-3 --walk 4 --out " + path("walk.y4m"));
  const auto video = files::read_file(path("walk.y4m"));
  EXPECT_TRUE(video.starts_with("YUV4MPEG2 W16 H16 F30:1 Ip A1:1 C444\nFRAME\n"));
  constexpr std::size_t kHeader = 37, kFrame = 6 + 3 * 16 * 16;
  EXPECT_EQ(video.size(), kHeader + 12 * kFrame);
  ganscale(generate + " --labels 3-4 --seeds 1-2 --walk 2 --grid 1x2 --scale 3 --out " +
           path("both.y4m"));
  EXPECT_TRUE(files::read_file(path("both.y4m")).starts_with("YUV4MPEG2 W96 H48 F30:1 "));
  ganscale(generate + " --labels 3 --seeds 9 --out " + path("target.png"));
  ganscale("project --run " + path("run") + " --label 3 --steps 5 --target " + path("target.png") +
           " --out-dir " + path("found"));
  EXPECT_TRUE(std::filesystem::exists(path("found/projected.png")));
  EXPECT_EQ(files::read_file(path("found/target.png")), files::read_file(path("target.png")));
}

}  // namespace
}  // namespace ganscale
