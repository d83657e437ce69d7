#include "training/run/training_config.h"

#include "base/enum_names.h"
#include "base/error.h"

namespace ganscale::training {
namespace {

constexpr EnumNames<SeedMode, 2> kSeedModes{
    {{SeedMode::kImage, "image"}, {SeedMode::kRank, "rank"}}};
constexpr EnumNames<RunningMeans, 2> kRunningMeans{
    {{RunningMeans::kAveraged, "averaged"}, {RunningMeans::kLocal, "local"}}};

device::DeviceKind parse_device(config::Section& in) {
  return device::device_kind(
      in.get_choice("device", "auto", {"auto", "cpu", "gpu"}, "auto: a GPU if there is one"));
}

void require_possible(const config::Section& in, const TrainingConfig& c) {
  in.require(c.total_kimg, config::above(0), "total_kimg", "must be greater than 0");
  in.require(c.total_kimg, {.highest = 1e12}, "total_kimg", "must be at most 1e12");
  in.require(c.batch, config::above(0), "batch", "must be greater than 0");
  in.require(c.batch, {.highest = 2147483647}, "batch", "must be at most 2147483647");
  in.require(
      c.accumulate > 0 && c.batch % c.accumulate == 0, "accumulate",
      "must divide the batch, " + std::to_string(c.batch) + ": " + std::to_string(c.accumulate));
  in.require(c.tick_kimg, config::above(0), "tick_kimg", "must be greater than 0");
  in.require(c.samples_every_kimg, config::at_least(0), "samples_every_kimg",
             "must not be negative");
  in.require(c.grid_rows, config::between(1, 64), "grid_rows", "must be 1 to 64");
  in.require(c.grid_columns, config::between(1, 64), "grid_columns", "must be 1 to 64");
  in.require(c.max_nonfinite_steps, config::at_least(0), "max_nonfinite_steps",
             "must not be negative");
  in.require(c.devices_per_process, config::between(1, 2), "devices_per_process", "must be 1 or 2");
  in.require(c.threads, config::at_least(0), "threads", "must not be negative");
}

}  // namespace

TrainingConfig parse_training(config::Section in) {
  TrainingConfig c;
  c.total_kimg =
      in.get("total_kimg", c.total_kimg, "length of the run in thousands of real images");
  c.batch = in.get("batch", c.batch, "global batch size; divisible by the number of ranks");
  c.batch_location = in.location("batch");
  c.accumulate =
      in.get("accumulate", c.accumulate,
             "passes per step, each over a part of the batch, whose gradients are accumulated");
  const auto seed = in.get("seed", static_cast<std::int64_t>(c.seed), "seed of all random numbers");
  in.require(seed, config::at_least(0), "seed", "must not be negative");
  c.seed = static_cast<std::uint64_t>(seed);
  c.seed_mode =
      in.get_choice("seed_mode", c.seed_mode, kSeedModes,
                    "image: the same numbers for any world size; rank: seed + rank, as Loppi 2021");
  c.precision =
      in.get_choice("precision", c.precision, kPrecisions,
                    "numeric precision: fp32; on a GPU also tf32, bf16 or (StyleGAN) fp16, with "
                    "tf32 for the rest; fp64 to compare runs exactly");
  c.has_plain_layout =
      in.get_choice("layout", "auto", {"auto", "plain"},
                    "memory layout of the networks; auto: the fastest on the device (a CPU: "
                    "channels last; a GPU: reals and fakes joined, and below fp32 channels last "
                    "and padded); plain: contiguous; see train --print-layout") == "plain";
  c.device = parse_device(in);
  c.devices_per_process =
      in.get("devices_per_process", c.devices_per_process,
             "GPUs per rank; 2 (scheme per_label): generator and discriminator on one each");
  c.cuda_graphs = in.get("cuda_graphs", c.cuda_graphs,
                         "replay each phase as a CUDA graph: faster for few images per GPU, where "
                         "launching kernels takes longer than running them; no effect on a CPU");
  c.threads = in.get("threads", c.threads,
                     "CPU threads per rank; 0: the node's cores, or its container's CPU limit, "
                     "divided among its ranks");
  c.running_means = in.get_choice(
      "running_means", c.running_means, kRunningMeans,
      "running means of style and path length: averaged over all ranks, or local to each");
  c.tick_kimg =
      in.get("tick_kimg", c.tick_kimg,
             "thousands of images between two ticks (a log line and a line of stats.jsonl)");
  c.samples_every_kimg = in.get(
      "samples_every_kimg", c.samples_every_kimg,
      "thousands of images between two grids of samples, the first before training; 0: only at the "
      "end");
  c.grid_rows = in.get("grid_rows", c.grid_rows, "rows of the sample grids");
  c.grid_columns = in.get("grid_columns", c.grid_columns, "columns of the sample grids");
  c.max_nonfinite_steps = in.get(
      "max_nonfinite_steps", c.max_nonfinite_steps,
      "stop if more than this many of the last 1000 steps had NaN or infinity in a gradient");
  c.tensorboard = in.get("tensorboard", c.tensorboard, "also write TensorBoard event files");
  c.resume_weights = in.get("resume_weights", c.resume_weights,
                            "checkpoint or run folder to initialize the weights of a new run from");
  in.reject_unread_keys();
  require_possible(in, c);
  return c;
}

void require_divisible_batch(const TrainingConfig& config, int ranks, const std::string& whose) {
  if (ranks > 0 && config.batch % (ranks * config.accumulate) == 0) return;
  const std::string passes =
      config.accumulate == 1 ? ""
                             : " times training.accumulate, " + std::to_string(config.accumulate);
  throw ConfigError(config.batch_location.text() + ": training.batch: must be divisible by the " +
                    whose + passes + ": " + std::to_string(config.batch) + " on " +
                    std::to_string(ranks) + " ranks");
}

}  // namespace ganscale::training
