#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "report/mlflow/mlflow_client.h"
#include "report/mlflow/mlflow_state.h"

namespace ganscale::report {

/// What a run leaves on the server in the end. An interrupted run is resumed there, too.
enum class MlflowStatus { kFinished, kFailed, kKilled };

/// What is uploaded: the files of a run folder, and facts.
struct MlflowSource {
  std::filesystem::path state;    ///< which run of the server this is, and what it has got
  std::filesystem::path stats;    ///< stats.jsonl
  std::filesystem::path metrics;  ///< metrics.jsonl
  std::filesystem::path samples;  ///< the folder of the sample grids
  std::filesystem::path report;   ///< report.html
  std::string run_name;
  std::string config;            ///< as YAML: its parameters
  nlohmann::ordered_json facts;  ///< its tags
  std::int64_t
      images_seen_begin;  ///< where the run begins or resumes: later lines are not yet there
};

/// Uploads a run to a tracking server, from the files that it writes. All that the server has got
/// is recorded in the run folder, so whatever it missed, in this process or an earlier one, is sent
/// by the next call.
class MlflowUpload {
 public:
  /// Resumes the server's run that the state names, if it is of this server and experiment. Throws
  /// ConfigError.
  MlflowUpload(const MlflowAccess& access, MlflowSource source, std::chrono::milliseconds timeout);

  /// Sends what the server lacks. Blocks. Throws MlflowError, OutputError, DataError.
  void send();
  /// Does so, reports the end of the run to the server, and stores grids and report there. If the
  /// server does not store artifacts itself, a warning says so.
  void end(MlflowStatus status);
  /// Ends either in another thread soon, and every later call at once.
  void cancel() { client_.cancel(); }

  /// Returns the server's id of the run; empty until there is one.
  const std::string& run_id() const { return state_.run_id; }

 private:
  /// A file of JSON lines up to which this process has read it, and what the server has got of it.
  struct Followed {
    std::filesystem::path file;
    std::int64_t& images_seen;
    std::set<std::string>& keys;
    std::uint64_t offset_bytes = 0;
  };

  MlflowState read_state(const MlflowAccess& access) const;
  void save() const;
  std::string find_experiment();
  std::string find_lost_run();
  void create_run();
  void open_run();
  void send_params();
  void send_lines(Followed& from);
  void send_artifacts();
  void send_artifacts_to(const std::string& folder);

  const MlflowSource source_;
  const std::int64_t start_ms_;  ///< since 1970
  MlflowClient client_;
  MlflowState state_;
  bool is_open_ = false;  ///< on the server, by this process
  std::string artifact_uri_;
  Followed stats_;
  Followed metrics_;
};

}  // namespace ganscale::report
