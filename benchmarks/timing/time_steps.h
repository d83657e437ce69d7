#pragma once

#include <functional>
#include <string>

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

/// Adds --threads, --batch, --warm-up and --steps, whose values so far are the defaults.
void add_options(CLI::App& app, Timing& timing);

/// Builds a training, which gets the number of each step: first the warm-up steps, then from 0.
using MakeTraining = std::function<std::function<void(int number)>()>;

/// Times the steps and writes one JSON line: seconds of each step, peak resident memory in MiB. On
/// a GPU a step ends when the device has finished it.
void print_times(const Timing& timing, const MakeTraining& make_training);

}  // namespace ganscale::benchmarks
