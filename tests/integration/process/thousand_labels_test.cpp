// A run of scheme per_label with many more labels than ranks, under mpirun.
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "files/atomic_file.h"
#include "report/log/stats_log.h"
#include "report/media/image_grid.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"
#include "support/thorough.h"

namespace ganscale {
namespace {

/// At least a hundred labels a rank: more than it may have open files.
const int kLabels = thorough(1000, 200);
const int kRanks = thorough(8, 2);
constexpr int kImagesOfLabel = 4;  // one step

/// Writes class folders 0000, 0001, ... of gray images.
void write_data(const std::filesystem::path& folder) {
  for (int i = 0; i < kLabels * kImagesOfLabel; ++i) {
    const int label = i % kLabels;
    const auto name = std::to_string(10'000 + label).substr(1);
    std::filesystem::create_directories(folder / name);
    const auto image = at::full({1, 1, 8, 8}, label % 200 + i / kLabels, at::kByte);
    report::write_image_grid(image, {.columns = 1}, folder / name / (std::to_string(i) + ".png"));
  }
}

/// Writes a feature network: the means of the quarters.
void write_feature_net(const std::filesystem::path& file) {
  torch::jit::Module module("net");
  module.define(
      "def forward(self, x):\n"
      "  return torch.avg_pool2d(x / 64, [4, 4]).flatten(1)\n");
  module.save(file.string());
}

/// Runs the program on so many ranks. Each rank may hold 64 open files and sockets: one that a
/// label left open would end its rank long before the last label.
std::string ganscale(int ranks, const std::string& arguments, ExitCode expected = ExitCode::kOk) {
  const auto launcher = std::string(LAUNCHER) +
                        " --allow-run-as-root --oversubscribe --bind-to none -n " +
                        std::to_string(ranks) + " ";
  const auto program = "sh -c 'ulimit -n 64; exec " PROGRAM " " + arguments + "'";
  const auto result = run_program((ranks > 1 ? launcher : "") + program);
  EXPECT_EQ(result.exit_code, static_cast<int>(expected)) << arguments << "\n" << result.output;
  return result.output;
}

int count_lines_with(const std::filesystem::path& file, const std::string& message) {
  const auto lines = report::read_json_lines(file);
  return static_cast<int>(std::ranges::count_if(
      lines, [&](const auto& line) { return line.value("message", "") == message; }));
}

TEST(ManyLabels, TrainOnFewRanksAndServeAsOneGenerator) {
  const TemporaryFolder folder;
  const auto run = folder / "run";
  const auto all = std::to_string(kLabels);
  const auto last = std::to_string(kLabels - 1);
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  write_data(folder / "data");
  const auto broken = folder / "data/0007/7.png";
  const auto image = files::read_file(broken);
  std::filesystem::resize_file(broken, image.size() / 2);
  const auto train =
      "train --run " + run.string() + " --set data.path=" + path("data") +
      " --set scheme.name=per_label --set model.name=stylegan2 --set model.conditional=false"
      " --set model.resolution=8 --set model.z_dim=4 --set model.w_dim=4"
      " --set model.channel_base=32 --set model.channel_max=4 --set model.mapping_layers=1"
      " --set training.batch=4 --set training.threads=1 --set training.total_kimg=" +
      std::to_string(kLabels * kImagesOfLabel / 1000.0) +
      " --set training.grid_rows=1 --set training.grid_columns=2"
      " --set telemetry.metrics_port=0 --set telemetry.control_port=0";
  ganscale(kRanks, train, ExitCode::kData);
  const auto table = nlohmann::json::parse(files::read_file(run / "labels.json"));
  ASSERT_EQ(table.size(), kLabels);
  for (const auto& label : table) {
    const bool failed = label.at("label") == 7;
    EXPECT_EQ(label.at("state"), failed ? "failed" : "done");
    EXPECT_EQ(label.at("images_seen"), failed ? 0 : kImagesOfLabel);
  }
  EXPECT_EQ(count_lines_with(run / "log.jsonl", "Finished label"), kLabels / kRanks);

  ganscale(1, "generate --run " + run.string() + " --seeds 0-" + std::to_string(kLabels - 2) +
                  " --out " + path("grid.png"));
  ganscale(1, "report " + run.string());
  auto page = files::read_file(run / "report.html");
  EXPECT_THAT(page, testing::HasSubstr(last + " labels have a generator"));
  EXPECT_LT(page.find("<th>7 0007</th>"), page.find("<th>0 0000</th>"));

  files::write_file_atomically(broken, image);
  ganscale(kRanks, train);  // the failed label alone is trained, and little is said
  EXPECT_EQ(count_lines_with(run / "log.jsonl", "Finished label"), kLabels / kRanks);
  EXPECT_EQ(count_lines_with(run / "log.jsonl", "Finished all labels"), 2);
  write_feature_net(folder / "net.pt");
  const auto metric = thorough<std::string>("fid4k", "fid800");
  ganscale(2, "evaluate --run " + run.string() + " --metrics " + metric +
                  "_by_label --feature-net " + path("net.pt") +
                  " --set evaluate.cache=" + path("cache"));
  ganscale(1, "report " + run.string());
  page = files::read_file(run / "report.html");
  EXPECT_THAT(page, testing::HasSubstr(all + " labels have a generator"));
  EXPECT_THAT(page, testing::HasSubstr("<th>" + last + " 0" + last + "</th>"));
  EXPECT_THAT(page, testing::HasSubstr("<tr><th>label</th><th>" + metric + "</th></tr>"));
  EXPECT_LT(page.size(), 500'000);
}

}  // namespace
}  // namespace ganscale
