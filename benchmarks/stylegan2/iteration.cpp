// Times StyleGAN2 training steps with all phases: 16 steps hold 16 Gmain, 4 Greg, 16 Dmain, 1 Dreg.
// With --profile it times and traces each phase alone.
// Writes one JSON line for compare_iterations.py, compare_on_gpu.py and profile_on_gpu.py.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "device/gpu.h"
#include "timing/fixed_training.h"
#include "timing/time_steps.h"
#include "timing/trace.h"
#include "training/run/parse_run.h"
#include "training/run/precision.h"

namespace {

using namespace ganscale;

struct Setting {
  benchmarks::Timing timing{.batch = 16, .warm_up_steps = 4, .steps = 16};
  std::string preset = "small";
  int resolution = 64;
  std::string precision = "fp32";
  bool graphs = false;
  std::filesystem::path profile;  ///< folder of the traces; empty: whole steps are timed
};

training::RunConfig config_of(const Setting& setting) {
  return training::parse_run(config::parse_yaml(
      "model: {name: stylegan2, preset: " + setting.preset +
          ", resolution: " + std::to_string(setting.resolution) + "}\ntraining: {batch: " +
          std::to_string(setting.timing.batch) + ", precision: " + setting.precision +
          ", cuda_graphs: " + (setting.graphs ? "true" : "false") + "}",
      "benchmark"));
}

at::Device device_of(const Setting& setting) {
  const at::Device named(setting.timing.device);
  if (named.is_cpu()) return named;
  if (device::visible_gpu_count() == 0) {
    throw DeviceError("no GPU is visible, or this build is one without GANSCALE_CUDA");
  }
  return {named.type(), 0};
}

class Training {
 public:
  explicit Training(const Setting& setting) : training_(config_of(setting), device_of(setting)) {}

  void step(int number) { training_.step(number); }
  benchmarks::ParameterCounts parameter_counts() { return training_.parameter_counts(); }

  /// The phases and how often each is due: in every so many steps.
  std::vector<std::pair<std::string, std::int64_t>> intervals() {
    std::vector<std::pair<std::string, std::int64_t>> intervals;
    for (const auto& phase : training_.phases()) {
      intervals.emplace_back(phase.name, phase.interval);
    }
    return intervals;
  }

  /// Makes one phase due in every step but step 0, and no other; without a name, none at all.
  void keep_only(const std::string& name) {
    for (auto& phase : training_.phases()) {
      phase.interval = phase.name == name ? 1 : std::numeric_limits<std::int64_t>::max();
    }
  }

 private:
  benchmarks::FixedTraining training_;
};

/// Times and traces each phase in steps of its own, and steps without a phase: what frames them.
void profile(const Setting& setting, Training& training) {
  nlohmann::ordered_json phases;
  auto intervals = training.intervals();
  intervals.emplace_back("frame", 1);
  for (const auto& [name, interval] : intervals) {
    training.keep_only(name);
    const auto step = [&](int /*number*/) { training.step(1); };
    const auto seconds = benchmarks::time_steps(setting.timing, step);
    benchmarks::write_trace(device_of(setting), setting.profile / (name + ".json"),
                            [&] { training.step(1); });
    phases.push_back({{"name", name}, {"interval", interval}, {"step_seconds", seconds}});
  }
  const nlohmann::ordered_json line = {{"phases", phases}};
  std::cout << line << "\n";
}

void measure(const Setting& setting) {
  device::use_device(device_of(setting));
  device::allow_tf32(training::allows_tf32(config_of(setting).training.precision));
  benchmarks::set_up(setting.timing);
  Training training(setting);
  if (!setting.profile.empty()) return profile(setting, training);
  const auto seconds =
      benchmarks::time_steps(setting.timing, [&](int number) { training.step(number); });
  benchmarks::print_times(setting.timing, seconds, training.parameter_counts());
}

}  // namespace

int main(int argument_count, char** arguments) {
  CLI::App app{"Times StyleGAN2 steps; started by the scripts of benchmarks/stylegan2."};
  Setting setting;
  benchmarks::add_options(app, setting.timing);
  app.add_option("--device", setting.timing.device, "cpu or cuda");
  app.add_option("--preset", setting.preset, "as model.preset");
  app.add_option("--resolution", setting.resolution, "pixels");
  app.add_option("--precision", setting.precision, "as training.precision");
  app.add_flag("--graphs", setting.graphs, "as training.cuda_graphs");
  app.add_option("--profile", setting.profile, "folder for a trace of each phase")
      ->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argument_count, arguments);
  try {
    measure(setting);
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return static_cast<int>(error.code());
  }
  return 0;
}
