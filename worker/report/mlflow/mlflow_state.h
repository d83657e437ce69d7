#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace ganscale::report {

/// Which run of a tracking server a run is, and what the server has got of it: a file of the run
/// folder.
struct MlflowState {
  std::string uri;
  std::string experiment;
  std::string upload_id;  ///< a tag of the run, which finds it if the answer with its id was lost
  std::string run_id;
  bool has_params = false;
  std::int64_t stats_images_seen = -1;  ///< of the last line that was sent
  std::set<std::string> stats_keys;     ///< of the lines with that number
  std::int64_t metrics_images_seen = -1;
  std::set<std::string> metrics_keys;
  std::set<std::string> samples;  ///< names of the grids that were sent

  NLOHMANN_DEFINE_TYPE_INTRUSIVE_WITH_DEFAULT(MlflowState, uri, experiment, upload_id, run_id,
                                              has_params, stats_images_seen, stats_keys,
                                              metrics_images_seen, metrics_keys, samples)
};

/// Parses the content of the file. Throws DataError, which does not name the file.
MlflowState parse_mlflow_state(const std::string& text);

}  // namespace ganscale::report
