#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "data/formats/file_bytes.h"
#include "data/image/png_codec.h"
#include "data/sources/open_source.h"
#include "files/atomic_file.h"
#include "support/temporary_folder.h"
#include "unit/cli/run_ganscale.h"
#include "wire/names.h"

namespace ganscale::cli {
namespace {

/// Writes a flat RGB image.
void write_image(const TemporaryFolder& folder, const std::string& name, int side) {
  const std::size_t count = std::size_t(3) * side * side;
  folder.write(name, data::encode_png({3, side, side, std::vector<std::uint8_t>(count, 7)}));
}

TEST(DataVerb, ConvertsInspectsAndVerifies) {
  const TemporaryFolder folder;
  write_image(folder, "in/cat/1.png", 8);
  write_image(folder, "in/dog/1.png", 6);
  const std::string out = folder / "out";
  EXPECT_EQ(run_ganscale({"data", "convert", "--from", folder / "in", "--to", out, "--resolution",
                          "4", "--shards", "2", "--channels", "gray"}),
            ExitCode::kOk);
  const auto source = data::open_source(out);
  data::Record record;
  source->read(1, record);
  EXPECT_EQ(record.channels, 1);
  EXPECT_EQ(record.width, 4);
  EXPECT_EQ(record.bytes[0], 7);
  EXPECT_EQ(record.label, 1);
  EXPECT_EQ(run_ganscale({"data", "inspect", out, "--sheet", folder / "sheet.png"}), ExitCode::kOk);
  EXPECT_EQ(data::decode_png(data::read_file(folder / "sheet.png")).width, 12 * 64);
  EXPECT_EQ(run_ganscale({"data", "verify", out}), ExitCode::kOk);
}

TEST(DataVerb, RefusesNumbersThatCannotBe) {
  for (const auto& [option, value] : {std::pair("--shards", "0"),
                                      {"--threads", "0"},
                                      {"--threads", "5000"},
                                      {"--most-refused", "-1"},
                                      {"--max-images", "0"}}) {
    EXPECT_EQ(run_ganscale({"data", "convert", "--from", "in", "--to", "out", "--resolution", "4",
                            option, value}),
              ExitCode::kUsage)
        << option;
  }
}

TEST(DataVerb, RefusesMoreThreadsThanAConfigurationMayHave) {
  for (const char* verb : {"verify", "variability"})
    EXPECT_EQ(run_ganscale({"data", verb, "in", "--threads", "5000"}), ExitCode::kUsage) << verb;
}

TEST(DataVerb, ConvertsAPartWithImagesOfEveryLabel) {
  const TemporaryFolder folder;
  for (const std::string label : {"cat", "dog", "fox"})
    for (const std::string image : {"1", "2", "3", "4"})
      write_image(folder, "in/" + label + "/" + image + ".png", 4);
  const auto converted = [&](const std::string& max_images) {
    const std::string to = folder / ("to" + max_images);
    EXPECT_EQ(run_ganscale({"data", "convert", "--from", folder / "in", "--to", to, "--resolution",
                            "4", "--max-images", max_images}),
              ExitCode::kOk);
    return data::open_source(to);
  };
  const auto part = converted("6");
  ASSERT_EQ(part->record_count(), 6);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(part->label(i), i / 2);
  EXPECT_THAT(part->label_names(), testing::ElementsAre("cat", "dog", "fox"));
  EXPECT_EQ(converted("2")->label_count(), 3);
  EXPECT_EQ(converted("99")->record_count(), 12);
}

TEST(DataVerb, DoesNotConvertIntoTheFolderOfTheImages) {
  const TemporaryFolder folder;
  write_image(folder, "in/1.png", 8);
  EXPECT_EQ(run_ganscale({"data", "convert", "--from", folder / "in", "--to", folder / "in/../in/",
                          "--resolution", "8"}),
            ExitCode::kUsage);
  EXPECT_EQ(data::open_source(folder / "in")->record_count(), 1);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "in"), {}), 1);
}

TEST(DataVerb, ConvertsToAHeightAndAWidth) {
  const TemporaryFolder folder;
  write_image(folder, "in/1.png", 8);
  const std::vector<std::string> convert = {"data", "convert",      "--from",      folder / "in",
                                            "--to", folder / "out", "--resolution"};
  const auto convert_to = [&](const std::string& resolution) {
    auto arguments = convert;
    arguments.push_back(resolution);
    return run_ganscale(arguments);
  };
  for (const std::string text : {"4x", "x4", "4x0", "axb", "4x8x16", "-4", "99999"})
    EXPECT_EQ(convert_to(text), ExitCode::kUsage) << text;
  EXPECT_EQ(convert_to("4x6"), ExitCode::kConfig) << "no power of two";
  ASSERT_EQ(convert_to("4x8"), ExitCode::kOk);
  const auto source = data::open_source(folder / "out/out-r02.tfrecords");
  data::Record record;
  source->read(0, record);
  EXPECT_EQ(record.height, 4);
  EXPECT_EQ(record.width, 8);
}

/// Measures a distance of a run's images by a feature network of means of squares of 16 pixels.
double measured_distance(const TemporaryFolder& folder, const std::string& run) {
  torch::jit::Module module("net");
  module.define("def forward(self, x):\n  return torch.avg_pool2d(x / 64, [16, 16]).flatten(1)\n");
  const std::string net = folder / "net.pt";
  module.save(net);
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_ganscale({"evaluate", "--run", run, "--metrics", "fid8", "--feature-net", net,
                          "--set", "evaluate.cache=" + (folder / "cache").string()}),
            ExitCode::kOk);
  return nlohmann::json::parse(testing::internal::GetCapturedStdout()).at("fid8").get<double>();
}

TEST(TrainVerb, TrainsOnImagesThatAreNotSquares) {
  const TemporaryFolder folder;
  for (const std::string name : {"1", "2", "3", "4"})
    write_image(folder, "images/" + name + ".png", 40);
  const std::string run = folder / "run";
  ASSERT_EQ(run_ganscale({"train", "--run", run, "--data", folder / "images", "--set",
                          "model.resolution=[32, 64]", "--set", "model.channels=0.125", "--set",
                          "training.batch=4", "--set", "training.total_kimg=0.008", "--set",
                          "data.fit=resize", "--set", "training.device=cpu"}),
            ExitCode::kOk);
  ASSERT_EQ(run_ganscale({"generate", "--run", run, "--out", folder / "grid.png", "--seeds", "0-2",
                          "--grid", "1x3", "--device", "cpu"}),
            ExitCode::kOk);
  const data::Image grid = data::decode_png(data::read_file(folder / "grid.png"));
  EXPECT_EQ(grid.height, 32);
  EXPECT_GE(grid.width, 3 * 64);
  ASSERT_EQ(run_ganscale({"export", "--run", run, "--out", folder / "g.pt"}), ExitCode::kOk);
  EXPECT_EQ(data::read_file(folder / "g.pt").at(0), 'P') << "TorchScript is a zip";
  EXPECT_GT(measured_distance(folder, run), 0);
  ASSERT_EQ(run_ganscale({"report", run}), ExitCode::kOk);
  EXPECT_THAT(files::read_file(folder / "run/report.html"),
              testing::HasSubstr("<span>fid8</span>"));
}

/// Returns what `ganscale train` prints of its configuration, and what it logs.
std::pair<std::string, std::string> printed_config(std::vector<std::string> options) {
  options.insert(options.begin(), {"train", "--print-config"});
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_ganscale(options), ExitCode::kOk);
  std::string log = testing::internal::GetCapturedStderr();
  return {testing::internal::GetCapturedStdout(), std::move(log)};
}

TEST(TrainVerb, PrintsTheSchedulesOfItsConfiguration) {
  const auto config = printed_config({"--set", "model={preset: r3gan-cifar10}"}).first;
  for (const char* schedule :
       {"\n    schedule:\n      name: cosine  #", "\n    beta2_schedule:\n      name: cosine  #",
        "\n  ema_schedule:\n    name: cosine  #", "\n    final_kimg: 5000  #",
        "\n  gamma_schedule:\n    name: cosine  #", "\n  p_schedule:\n    name: cosine  #"})
    EXPECT_THAT(config, testing::HasSubstr(schedule));
}

TEST(TrainVerb, ResumesWithTheConfigurationThatItChoseAtFirst) {
  const TemporaryFolder folder;
  write_image(folder, "photos/1.png", 40);
  const std::vector<std::string> again = {"--data", folder / "photos", "--run", folder / "run"};
  const auto [chosen, first_log] = printed_config(again);
  EXPECT_THAT(chosen, testing::HasSubstr("\n  batch: 1  #")) << "as many as there are images";
  EXPECT_THAT(first_log, testing::HasSubstr("Chose a configuration"));
  folder.write("run/config.yaml", "training: {batch: 12}\ndata: {path: elsewhere}\n");
  auto longer = again;
  longer.insert(longer.end(), {"--set", "training.total_kimg=7"});
  const auto [resumed, log] = printed_config(longer);
  EXPECT_THAT(resumed, testing::HasSubstr("\n  batch: 12  #"));
  EXPECT_THAT(resumed, testing::HasSubstr("\n  total_kimg: 7  #"));
  EXPECT_THAT(resumed, testing::HasSubstr("\n  path: " + std::string(folder / "photos") + "  #"));
  EXPECT_THAT(log, testing::HasSubstr("Taking the configuration of the run that is already there"));
  auto other = again;
  other.insert(other.end(), {"--config", folder.write("own.yaml", "training: {batch: 24}\n")});
  EXPECT_THAT(printed_config(other).first, testing::HasSubstr("\n  batch: 24  #"));
}

// As if the run had begun on more ranks than one.
TEST(TrainVerb, ResumesWithTheBatchThatThePresetAutoChoseAtFirst) {
  const TemporaryFolder folder;
  const std::vector<std::string> again = {"--run", folder / "run", "--set",
                                          "model={name: stylegan2, preset: auto, resolution: 256}"};
  EXPECT_THAT(printed_config(again).first, testing::HasSubstr("\n  batch: 16  #"));
  folder.write("run/config.yaml", "model: {preset: auto, mbstd_group: 2}\ntraining: {batch: 48}\n");
  const auto [resumed, log] = printed_config(again);
  EXPECT_THAT(resumed, testing::HasSubstr("\n  batch: 48  #"));
  EXPECT_THAT(resumed, testing::HasSubstr("\n  mbstd_group: 2  #"));
  EXPECT_THAT(log, testing::HasSubstr("from the run where this configuration does not set them"));
  auto other = again;
  other.insert(other.end(), {"--set", "training.batch=24"});
  EXPECT_THAT(printed_config(other).first, testing::HasSubstr("\n  batch: 24  #"));
}

TEST(TrainVerb, RefusesAnotherModelThanItChoosesForADataset) {
  const TemporaryFolder folder;
  write_image(folder, "photos/1.png", 40);
  const std::string photos = folder / "photos";
  for (const auto& [set, model] : {std::pair("model.preset=stylegan3-t", "stylegan3"),
                                   std::pair("model.name=r3gan", "r3gan")}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_ganscale(
                  {"train", "--data", photos, "--run", folder / "run", "--set", set, "--dry-run"}),
              ExitCode::kUsage);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                testing::AllOf(testing::HasSubstr("--set names the model " + std::string(model)),
                               testing::HasSubstr("replace --data by --set data.path=" + photos)));
  }
}

TEST(TrainVerb, RefusesOptionsWithoutEffect) {
  for (const auto& [option, other] :
       {std::pair("--channels", "--print-layout"), std::pair("--labels", "--print-layout"),
        std::pair("--floor", "--preflight"), std::pair("--hcas", "--preflight")}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_ganscale({"train", option, "1"}), ExitCode::kUsage);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                testing::HasSubstr(option + std::string(" requires ") + other));
  }
}

TEST(TrainVerb, TakesTheRequirementsOfANodesEnvironmentWithoutAPreflight) {
  setenv(wire::environment::kPreflightFloor, "100", /*overwrite=*/1);
  setenv(wire::environment::kPreflightHcas, "8", /*overwrite=*/1);
  printed_config({});
  unsetenv(wire::environment::kPreflightFloor);
  unsetenv(wire::environment::kPreflightHcas);
}

TEST(TrainVerb, CountsTheHcasOfASingleRank) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_ganscale({"train", "--preflight", "require", "--hcas", "99", "--set",
                          "training.device=cpu"}),
            ExitCode::kFabric);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), testing::HasSubstr("HCAs"));
}

TEST(DataVerb, VerifyEndsWith65OnADamagedRecord) {
  const TemporaryFolder folder;
  write_image(folder, "1.png", 8);
  folder.write("2.png", "no image");
  EXPECT_EQ(run_ganscale({"data", "verify", folder.path()}), ExitCode::kData);
}

ExitCode convert_into(const std::string& to, const std::string& from,
                      const std::string& resolution) {
  return run_ganscale({"data", "convert", "--from", from, "--to", to, "--resolution", resolution});
}

TEST(DataVerb, VerifyLooksAtEveryResolution) {
  const TemporaryFolder folder;
  write_image(folder, "in/1.png", 8);
  for (const auto& [to, resolution] : {std::pair("a", "8"), std::pair("small/a", "4")}) {
    EXPECT_EQ(convert_into(folder / to, folder / "in", resolution), ExitCode::kOk);
  }
  auto small = data::read_file(folder / "small/a/a-r02.tfrecords");
  small[small.size() / 2] ^= 1;
  folder.write("a/a-r02.tfrecords", {reinterpret_cast<const char*>(small.data()), small.size()});
  EXPECT_EQ(run_ganscale({"data", "verify", folder / "a", "--resolution", "8"}), ExitCode::kOk);
  EXPECT_EQ(run_ganscale({"data", "verify", folder / "a"}), ExitCode::kData);
}

/// Returns what `ganscale data` logs when it refuses its options.
std::string refused_by_data(std::vector<std::string> options) {
  options.insert(options.begin(), "data");
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_ganscale(options), ExitCode::kUsage);
  return testing::internal::GetCapturedStderr();
}

TEST(DataVerb, RefusesAResolutionThatTheDatasetLacks) {
  const TemporaryFolder folder;
  write_image(folder, "in/1.png", 8);
  for (const auto& [to, resolution] : {std::pair("a", "8"), std::pair("a/4", "4")}) {
    ASSERT_EQ(convert_into(folder / to, folder / "in", resolution), ExitCode::kOk);
  }
  std::filesystem::rename(folder / "a/4/4-r02.tfrecords", folder / "a/a-r02.tfrecords");
  for (const char* verb : {"inspect", "verify", "variability"}) {
    EXPECT_THAT(refused_by_data({verb, folder / "a", "--resolution", "64"}),
                testing::HasSubstr("--resolution: this dataset has 8, 4, not 64: "))
        << verb;
  }
  EXPECT_THAT(refused_by_data({"inspect", folder / "in", "--resolution", "8"}),
              testing::HasSubstr("no resolutions to choose from; leave the option out"));
  EXPECT_EQ(run_ganscale({"data", "inspect", folder / "a", "--resolution", "4"}), ExitCode::kOk);
}

TEST(DataVerb, WritesASheetAsPngOnly) {
  const TemporaryFolder folder;
  write_image(folder, "in/1.png", 8);
  EXPECT_THAT(refused_by_data({"inspect", folder / "in", "--sheet", folder / "sheet.jpg"}),
              testing::HasSubstr("--sheet: a contact sheet is written as .png: "));
  EXPECT_FALSE(std::filesystem::exists(folder / "sheet.jpg"));
}

TEST(DataVerb, StrictConvertEndsWith65OnARefusedImage) {
  const TemporaryFolder folder;
  write_image(folder, "in/1.png", 8);
  folder.write("in/2.png", "no image");
  const std::vector<std::string> lenient = {"data", "convert",      "--from",       folder / "in",
                                            "--to", folder / "out", "--resolution", "8"};
  auto strict = lenient;
  strict.push_back("--strict");
  EXPECT_EQ(run_ganscale(strict), ExitCode::kData);
  EXPECT_EQ(run_ganscale(lenient), ExitCode::kOk);
}

TEST(DataVerb, WrongUseEndsWith64) {
  EXPECT_EQ(run_ganscale({"data"}), ExitCode::kUsage);
  EXPECT_EQ(run_ganscale({"data", "convert", "--to", "x", "--resolution", "8"}), ExitCode::kUsage);
  EXPECT_EQ(run_ganscale({"data", "convert", "--from", "a", "--to", "b", "--resolution", "8",
                          "--fit", "squeeze"}),
            ExitCode::kUsage);
}

TEST(DataVerb, MissingDataEndsWith65) {
  EXPECT_EQ(run_ganscale({"data", "inspect", "/does/not/exist"}), ExitCode::kData);
}

}  // namespace
}  // namespace ganscale::cli
