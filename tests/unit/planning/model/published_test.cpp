#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "config/units.h"
#include "planning/model/calibration.h"
#include "planning/model/scaling.h"
#include "unit/planning/model/published_workloads.h"

namespace ganscale::planning {
namespace {

using testing::DoubleNear;

/// PyTorch's DistributedDataParallel and Horovod reduce buckets while gradients are computed; the
/// StyleGAN repositories reduce all gradients of a phase at once after it.
constexpr double kBuckets = 5;
constexpr double kFlat = 1;

Assumptions fitted(const std::string& yaml, const Workload& workload, const Machine& machine) {
  const Calibration calibration =
      parse_calibration(config::Section(config::parse_yaml(yaml, "measured.yaml")), machine);
  return fit(calibration, workload, machine);
}

double predicted(const Workload& workload, const std::string& machine, const Assumptions& at,
                 const Scale& scale) {
  return seconds_per_kimg(predict_step(workload, machine_of_name(machine), at, scale), scale);
}

/// Expects a prediction within so many percent of what was published.
void expect_within(double percent, double prediction, double published) {
  EXPECT_NEAR(100 * (prediction / published - 1), 0, percent)
      << prediction << " s/kimg, published " << published;
}

/// StyleGAN2's README, config-f at 256 x 256 in float32 on a DGX-1, batch 32. Its first two rows
/// calibrate; it computes four images at a time at any of these scales.
Assumptions v100_of_one_and_two() {
  return fitted(
      "fit: [device, synchronize_seconds]\n"
      "points:\n"
      "  - {gpus: 1, batch: 32, at_once: 4, seconds_per_kimg: 112.5}\n"
      "  - {gpus: 2, batch: 32, at_once: 4, seconds_per_kimg: 58.6}\n",
      workload_of(config_f_float32(), kBuckets), machine_of_name("dgx-1"));
}

TEST(Published, V100sFromOneAndTwo) {
  const Workload workload = workload_of(config_f_float32(), kBuckets);
  const Assumptions at = v100_of_one_and_two();
  expect_within(0.1, predicted(workload, "dgx-1", at, {1, 32, 4}), 112.5);
  expect_within(0.1, predicted(workload, "dgx-1", at, {2, 32, 4}), 58.6);
  expect_within(10, predicted(workload, "dgx-1", at, {4, 32, 4}), 30.7);
  expect_within(10, predicted(workload, "dgx-1", at, {8, 32, 4}), 16.4);
  // Loppi & Kynkäänniemi 2021 on Puhti, four nodes of four; the older code on one
  expect_within(10, predicted(workload, "puhti-v100", at, {4, 32, 4}), 30.8);
  expect_within(10, predicted(workload, "puhti-v100", at, {16, 32}), 9.3);
}

TEST(Published, V100sAt1024PixelsFromOneAndTwo) {
  // The same README's table of days and hours for 25,000 kimg: 1679, 868, 446, 234 hours.
  const Workload workload = workload_of(config_f_1024(), kBuckets);
  const Machine& machine = machine_of_name("dgx-1");
  const Assumptions at = fitted(
      "fit: [device, synchronize_seconds]\n"
      "points:\n"
      "  - {gpus: 1, batch: 32, at_once: 4, seconds_per_kimg: 241.8}\n"
      "  - {gpus: 2, batch: 32, at_once: 4, seconds_per_kimg: 125.0}\n",
      workload, machine);
  expect_within(10, predicted(workload, "dgx-1", at, {4, 32, 4}), 64.2);
  expect_within(10, predicted(workload, "dgx-1", at, {8, 32, 4}), 33.7);
}

TEST(Published, A100sOfSelene) {
  // Loppi & Kynkäänniemi 2021: 63% with batch 64 on 32 GPUs, against one node, calibrate what the
  // host takes for a launch; 98% on 64 GPUs with batch 512 is predicted.
  const Workload workload = workload_of(config_f(), kBuckets);
  const Machine& machine = machine_of_name("dgx-a100");
  const Assumptions at = fitted(
      "fit: [launch_seconds]\n"
      "points:\n"
      "  - {gpus: 32, batch: 64, efficiency: 0.63, against_gpus: 8, against_batch: 64}\n",
      workload, machine);
  const double one_node = predicted(workload, "dgx-a100", at, {8, 64});
  EXPECT_THAT(one_node / 4 / predicted(workload, "dgx-a100", at, {32, 64}), DoubleNear(0.63, 1e-3));
  EXPECT_THAT(one_node / 8 / predicted(workload, "dgx-a100", at, {64, 512}),
              DoubleNear(0.98, 0.05));
}

/// A row of a published table.
struct Row {
  Scale scale;
  double seconds_per_kimg;
};

std::string yaml_of(const Row& row) {
  return "points: [{gpus: " + std::to_string(row.scale.gpus) +
         ", batch: " + std::to_string(row.scale.batch) +
         (row.scale.at_once > 0 ? ", at_once: " + std::to_string(row.scale.at_once) : "") +
         ", seconds_per_kimg: " + config::format_number(row.seconds_per_kimg) + "}]\n";
}

/// Returns the assumptions by a table's row of one GPU, which gives the device's time, and what the
/// host takes for a launch.
Assumptions of_first_row(const StepCount& count, const Machine& machine, const Row& first,
                         double launch_seconds) {
  return fitted(
      "assume: {launch_seconds: " + config::format_number(launch_seconds) + "}\n" + yaml_of(first),
      workload_of(count, kFlat), machine);
}

/// Returns what the host takes for a launch by a row with few images a GPU, which waits for its
/// host there: with many it hides behind the device, so no row of one GPU shows it.
double launch_seconds_of(const StepCount& count, const Machine& machine, const Row& row,
                         const Assumptions& of_device) {
  return fitted("fit: [launch_seconds]\nassume: {device: " +
                    config::format_number(of_device.device) + "}\n" + yaml_of(row),
                workload_of(count, kFlat), machine)
      .launch_seconds;
}

/// From stylegan3's docs/configs.md. The device by `auto` on one A100 at 256 x 256, the host by
/// `paper256` on eight: 2.47 s/kimg.
Assumptions stylegan3(const StepCount& count, const Row& first) {
  const Machine& machine = machine_of_name("dgx-a100");
  const Assumptions device = of_first_row(auto_256(), machine, {{1, 16}, 12.53}, 6e-6);
  return of_first_row(count, machine, first,
                      launch_seconds_of(paper256(), machine, {{8, 64}, 2.47}, device));
}

/// From stylegan2-ada-pytorch's README, the middles of its ranges. The host by eight V100 at
/// 128 x 128: 4.4 s/kimg, no less than on four.
Assumptions stylegan2_ada(const StepCount& count, const Row& first) {
  const Machine& machine = machine_of_name("dgx-1");
  const Assumptions device = of_first_row(auto_128(), machine, {{1, 32}, 13.25}, 6e-6);
  return of_first_row(count, machine, first,
                      launch_seconds_of(auto_128(), machine, {{8, 64}, 4.4}, device));
}

TEST(Published, Stylegan3At128PixelsFromOneA100) {
  const Workload workload = workload_of(auto_128(), kFlat);
  const Assumptions at = stylegan3(auto_128(), {{1, 32}, 6.79});
  expect_within(10, predicted(workload, "dgx-a100", at, {2, 64}), 3.45);
  expect_within(10, predicted(workload, "dgx-a100", at, {4, 64}), 2.23);
}

TEST(Published, Stylegan3At256PixelsFromOneA100) {
  const Workload workload = workload_of(auto_256(), kFlat);
  const Assumptions at = stylegan3(auto_256(), {{1, 16}, 12.53});
  expect_within(10, predicted(workload, "dgx-a100", at, {2, 32}), 6.36);
  expect_within(10, predicted(workload, "dgx-a100", at, {4, 64}), 3.20);
  expect_within(10, predicted(workload, "dgx-a100", at, {8, 64}), 2.38);
}

TEST(Published, Stylegan3At512PixelsFromOneA100) {
  const Assumptions at = stylegan3(auto_512(), {{1, 8}, 41.06});
  expect_within(10, predicted(workload_of(auto_512(), kFlat), "dgx-a100", at, {8, 64}), 5.24);
}

// The networks of StyleGAN3, with as many images at once as its table says.
TEST(Published, Stylegan3TAt256PixelsFromOneA100) {
  const Workload workload = workload_of(stylegan3_t(), kFlat);
  const Assumptions at = stylegan3(stylegan3_t(), {{1, 32, 16}, 49.81});
  expect_within(10, predicted(workload, "dgx-a100", at, {2, 32, 16}), 25.05);
  expect_within(10, predicted(workload, "dgx-a100", at, {4, 32, 8}), 13.26);
  expect_within(15, predicted(workload, "dgx-a100", at, {8, 32, 4}), 7.32);
}

TEST(Published, Stylegan3RAt256PixelsFromOneA100) {
  const Workload workload = workload_of(stylegan3_r(), kFlat);
  const Assumptions at = stylegan3(stylegan3_r(), {{1, 32, 8}, 56.73});
  expect_within(10, predicted(workload, "dgx-a100", at, {2, 32, 8}), 28.60);
  expect_within(10, predicted(workload, "dgx-a100", at, {4, 32, 8}), 14.39);
  expect_within(15, predicted(workload, "dgx-a100", at, {8, 32, 4}), 8.03);
}

TEST(Published, Stylegan2AdaAt128PixelsFromOneV100) {
  const Workload workload = workload_of(auto_128(), kFlat);
  const Assumptions at = stylegan2_ada(auto_128(), {{1, 32}, 13.25});
  expect_within(10, predicted(workload, "dgx-1", at, {2, 64}), 6.65);
  expect_within(10, predicted(workload, "dgx-1", at, {4, 64}), 4.35);
}

TEST(Published, Stylegan2AdaAt256PixelsFromOneV100) {
  const Workload workload = workload_of(auto_256(), kFlat);
  const Assumptions at = stylegan2_ada(auto_256(), {{1, 16}, 22.9});
  expect_within(10, predicted(workload, "dgx-1", at, {2, 32}), 11.5);
  expect_within(10, predicted(workload, "dgx-1", at, {4, 64}), 5.75);
  expect_within(10, predicted(workload, "dgx-1", at, {8, 64}), 4.95);
}

TEST(Published, Stylegan2AdaAt512PixelsFromOneV100) {
  const Workload workload = workload_of(auto_512(), kFlat);
  const Assumptions at = stylegan2_ada(auto_512(), {{1, 8}, 73.7});
  expect_within(10, predicted(workload, "dgx-1", at, {2, 16}), 38.85);
  expect_within(10, predicted(workload, "dgx-1", at, {4, 32}), 18.9);
  expect_within(10, predicted(workload, "dgx-1", at, {8, 64}), 9.6);
}

/// BigGAN for 128 x 128: 70.4 and 88.0 million parameters, float32 gradients; a V100 does 29.6
/// images a second (BigGAN-PyTorch's README: 237 on eight, batch 2048), a core of a TPU v3 as many
/// more as its peak is higher than a V100's in float32.
Workload biggan_on_tpu() {
  constexpr double kImagesPerSecond = 237.0 / 8 * 61.5 / 15.7;
  Workload workload{.image_bytes = 3.0 * 128 * 128};
  for (const auto& [name, parameters] : {std::pair{"G", 70.4e6}, std::pair{"D", 88.0e6}}) {
    workload.phases.push_back({.name = name,
                               .device = {{1, 0.5 / kImagesPerSecond}},
                               .reduced_bytes = 4 * parameters,
                               .reductions = kBuckets});
  }
  return workload;
}

TEST(Published, ParaganOn1024CoresIsConsistent) {
  // A check of consistency, since neither batch nor machine are given: TPU v3, weak scaling with 16
  // images a core, the default assumptions for links, overlap and stragglers.
  const Workload workload = biggan_on_tpu();
  const double one = predicted(workload, "tpu-v3", {}, {1, 16});
  const double many = predicted(workload, "tpu-v3", {}, {1024, 16 * 1024});
  EXPECT_THAT(one / 1024 / many, DoubleNear(0.91, 0.05));
}

/// Hours of labels of 5,000 images for 1,000 epochs on Summit, a GPU for each.
Scaling summit(double images_per_second, std::vector<int> gpus, const Assumptions& assumptions) {
  const Workload workload{.phases = {{.name = "step", .device = {{64, 64 / images_per_second}}}},
                          .image_bytes = 3.0 * 32 * 32};
  const Question question{
      .mode = Mode::kPerLabel, .first = {6, 6 * 64}, .gpus = std::move(gpus), .kimg = 5000};
  return predict_scaling(question, workload, machine_of_name("summit-v100"), assumptions);
}

TEST(Published, LabelsOnSummitTakeTheSameTimeTo1000Ranks) {
  // Lupo Pasini et al.: "flat" to 1,000 processes; start and slowest rank are in it. At 5,000
  // images a second a label takes 17 minutes, so that the start counts.
  const Scaling scaling = summit(5000, {6, 96, 1002}, {});
  const double first = scaling.rows.front().hours;
  const double last = scaling.rows.back().hours;
  EXPECT_GT(last, first * 1.01);
  EXPECT_LT(last, first * 1.1);
}

/// Labels of ImageNet with two GPUs each.
struct TwoGpuLabels {
  const char* machine;
  double milliseconds;  ///< of a batch, as `ganscale plan` counts it
  std::int64_t batch;
  int resolution;
  double kimg;  ///< of a label
};

/// From one node to `nodes`.
Scaling of_labels(const TwoGpuLabels& at, int nodes, const Assumptions& assumptions) {
  const Machine& machine = machine_of_name(at.machine);
  const auto batch = static_cast<double>(at.batch);
  const Workload workload{.phases = {{.name = "step", .device = {{batch, at.milliseconds / 1e3}}}},
                          .image_bytes = 3.0 * at.resolution * at.resolution};
  Scale first = {.gpus = machine.gpus_per_node, .gpus_of_rank = 2};
  first.batch = first.ranks() * at.batch;
  return predict_scaling({.mode = Mode::kPerLabel,
                          .first = first,
                          .gpus = doublings(first.gpus, machine, nodes),
                          .kimg = at.kimg},
                         workload, machine, assumptions);
}

double stretch(const Scaling& scaling) {
  return scaling.rows.back().hours / scaling.rows.front().hours;
}

TEST(Published, LabelsOfImagenetOnSummitWaitForStorageUnlessTheyStayInMemory) {
  // Lupo Pasini et al. as configs/runs/dcgan/imagenet-per-label.yaml: 64 x 64, two GPUs a label.
  const TwoGpuLabels dcgan = {"summit-v100", 26.97, 100, 64, 1281};
  const Scaling read = of_labels(dcgan, 334, {});
  EXPECT_EQ(read.rows.back().scale.ranks(), 1002);
  EXPECT_EQ(limit_of(read.rows.back().step), "data");
  EXPECT_THAT(stretch(read), DoubleNear(2.2, 0.05));
  const Scaling cached = of_labels(dcgan, 334, {.storage_bytes_per_second = 1e12});
  EXPECT_EQ(limit_of(cached.rows.back().step), "device");
  EXPECT_THAT(stretch(cached), DoubleNear(1.11, 0.01));
}

TEST(Published, WassersteinLabelsOn2000GpusTakeTheSameTime) {
  // Lupo Pasini & Yin: weak scaling to 2,000 GPUs, by configs/runs/wcgan/imagenet128.yaml, whose
  // budget of a day lasts for 6,000 kimg.
  const Scaling scaling = of_labels({"dgx-a100", 899.6, 64, 128, 6000}, 250, {});
  EXPECT_EQ(scaling.rows.back().scale.gpus, 2000);
  EXPECT_EQ(scaling.rows.back().scale.ranks(), 1000);
  EXPECT_EQ(limit_of(scaling.rows.back().step), "device");
  EXPECT_NEAR(scaling.rows.back().hours, 23.83, 0.01);
  EXPECT_THAT(stretch(scaling), DoubleNear(1.0115, 0.001));
}

}  // namespace
}  // namespace ganscale::planning
