#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/non_copyable.h"
#include "support/wait_until.h"

namespace ganscale {

inline constexpr std::int64_t kTinyBatch = 8;
inline constexpr int kTinyLabels = 4;
/// The section `model` of a DC-GAN an eighth as wide as the paper's.
inline constexpr const char* kTinyModel = "model: {name: dcgan, resolution: 32, channels: 0.125}\n";

/// Writes 64 gray images of 32 x 32 noise into `folder`, 16 of each label, and a configuration
/// that trains on them for `step_count` steps of kTinyBatch images; returns the latter's file.
/// more: the remaining sections, as YAML; `comm` among them replaces a timeout of 30 s. tick_kimg: one
/// tick a step by default.
std::filesystem::path write_tiny_training(const std::filesystem::path& folder,
                                          std::int64_t step_count, const std::string& precision,
                                          const std::string& more, double tick_kimg = 0.008);

/// A running `ganscale train`: one process, or several under mpirun, with its output in a file.
/// Kills whatever is still running in the destructor.
class TrainingProcess : NonCopyable {
 public:
  TrainingProcess(int rank_count, const std::filesystem::path& config,
                  const std::filesystem::path& run)
      : TrainingProcess({}, rank_count, config, run) {}
  /// Starts the command line with `shell`.
  TrainingProcess(std::vector<std::string> shell, int rank_count,
                  const std::filesystem::path& config, const std::filesystem::path& run);
  ~TrainingProcess();

  /// Returns the processes of the ranks that live at this moment.
  std::vector<pid_t> rank_pids() const;
  /// Sends a signal to the launcher, or to the process itself where there is none.
  void signal_launcher(int signal) const;
  bool has_ended();
  /// Waits for the end and returns the exit code as a shell shows it: 128 + n for a signal n.
  int exit_code();
  /// What it has printed, for messages of failed tests.
  std::string output() const;

 private:
  int rank_count_;
  std::filesystem::path output_file_;
  pid_t launcher_ = 0;
  bool ended_ = false;
  int status_ = 0;
};

}  // namespace ganscale
