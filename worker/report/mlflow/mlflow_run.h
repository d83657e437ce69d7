#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/non_copyable.h"
#include "report/mlflow/mlflow_upload.h"

namespace ganscale::report {

/// How long a run waits for a server that does not answer.
struct MlflowPatience {
  std::chrono::milliseconds request = std::chrono::seconds(10);     ///< until it counts as failed
  std::chrono::milliseconds first_pause = std::chrono::seconds(1);  ///< then doubled
  std::chrono::milliseconds longest_pause = std::chrono::minutes(1);
  std::chrono::milliseconds end = std::chrono::seconds(10);  ///< that finish() waits
};

/// Logs a run to MLflow while it trains, on a thread of its own: a server that is down or slow delays
/// nothing but logs one warning; the server gets what it missed when it answers again, in this
/// process or the next one. What it refuses ends the logging, not the run.
class MlflowRun : NonCopyable {
 public:
  /// Throws ConfigError.
  MlflowRun(const MlflowAccess& access, MlflowSource source, const MlflowPatience& patience = {});
  /// Abandons requests without an answer.
  ~MlflowRun();

  /// Says that the files have new lines.
  void notify();
  /// Sends the rest and the status. Waits for one attempt, but no longer than the patience allows, and
  /// warns if the server then lacks something.
  void finish(MlflowStatus status);

 private:
  void work(const std::stop_token& stop);
  bool attempt(const std::optional<MlflowStatus>& status);
  void wait(const std::stop_token& stop);
  void set_pause(std::chrono::milliseconds pause);

  const std::string server_;
  const MlflowPatience patience_;
  MlflowUpload upload_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::chrono::milliseconds pause_{0};  ///< before the next attempt; 0: the last one did not fail
  bool has_news_ = true;                ///< the run itself, at first
  std::optional<MlflowStatus> status_;  ///< once the run is over
  bool is_over_ = false;                ///< nothing is sent any more
  std::jthread thread_;                 // last: it uses all of the above
};

}  // namespace ganscale::report
