#include "cli/options/find_config.h"

#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::cli {
namespace {

class FindConfig : public testing::Test {
 protected:
  FindConfig() {
    for (const char* name : {"demo", "mnist-dcgan", "mnist-digits", "dcgan/mnist"})
      folder_.write(std::string(name) + ".yaml", "{}");
  }

  std::filesystem::path find(const std::string& name) const {
    return find_config(name, {folder_.path()});
  }

  const TemporaryFolder folder_;
};

TEST_F(FindConfig, TakesFilesAsTheyAre) {
  const auto file = folder_.write("own", "{}");
  EXPECT_EQ(find(file), file);
  EXPECT_EQ(find("/nowhere/run.yaml"), "/nowhere/run.yaml");  // the reader reports why it can't
}

TEST_F(FindConfig, FindsInstalledConfigurationsByName) {
  EXPECT_EQ(find("mnist-dcgan"), folder_ / "mnist-dcgan.yaml");
  EXPECT_EQ(find("dcgan/mnist"), folder_ / "dcgan/mnist.yaml");
  EXPECT_EQ(find("demo"), folder_ / "demo.yaml");
}

TEST_F(FindConfig, PrefersAConfigurationToAFolderOfItsName) {
  const TemporaryFolder here;
  std::filesystem::create_directory(here / "demo");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(here.path());
  EXPECT_EQ(find("demo"), folder_ / "demo.yaml");
  std::filesystem::current_path(before);
  expect_error(ExitCode::kConfig, "--config: neither a file nor one of the configurations",
               [&] { find(here / "demo"); });
}

TEST_F(FindConfig, NamesAllIfNoneMatches) {
  for (const char* name : {"mnist", "domo"}) {
    expect_error(ExitCode::kConfig,
                 "(dcgan/mnist, demo, mnist-dcgan, mnist-digits): " + std::string(name),
                 [&] { find(name); });
  }
}

TEST_F(FindConfig, SaysHowToUseAPreset) {
  for (const char* name : {"stylegan3-t", "paper256", "auto"}) {
    expect_error(ExitCode::kConfig, "replace it by --set model.preset=" + std::string(name),
                 [&] { find(name); });
  }
}

TEST(ConfigFolders, AreInTheCheckoutForAProgramInItsBuildFolder) {
  const auto folders = config_folders();
  ASSERT_EQ(folders.size(), 1U);
  EXPECT_EQ(find_config("demo", folders).filename(), "demo.yaml");
}

}  // namespace
}  // namespace ganscale::cli
