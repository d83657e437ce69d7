#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// Shared by the programs that time training steps; timing.py next to it is its counterpart.
namespace CLI {
class App;
}

namespace ganscale::benchmarks {

struct Timing {
  int threads = 2;  ///< of an operator
  int batch = 0;    ///< images per step
  int warm_up_steps = 0;
  int steps = 0;
  std::string device = "cpu";  ///< or cuda
};

/// A training step by its number: what is due in it depends on that. All is due in step 0.
using Step = std::function<void(int number)>;

/// Adds --threads, --batch, --warm-up and --steps, whose values so far are the defaults.
void add_options(CLI::App& app, Timing& timing);

/// Sets threads and memory as in training. Call it before the first tensor.
void set_up(const Timing& timing);

/// Waits until the device has finished all its work.
void wait_for(c10::Device device);

/// Runs step 0 as often as there are warm-up steps, then the timed ones, from 0. Returns the
/// seconds of each. On a GPU a step ends when the device has finished it, for which the host waits
/// only after the last. The GPU's peak memory does not count the first warm-up step, in which cuDNN
/// tries algorithms with all the memory that is free.
std::vector<double> time_steps(const Timing& timing, const Step& step);

/// How many parameters the networks have, by name.
using ParameterCounts = std::map<std::string, std::int64_t>;

/// Writes one JSON line: seconds of each step, peak resident memory in MiB, on a GPU also the most
/// that tensors took of its memory, and the counts if there are any.
void print_times(const Timing& timing, const std::vector<double>& step_seconds,
                 const ParameterCounts& parameters = {});

}  // namespace ganscale::benchmarks
