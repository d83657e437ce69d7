#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "files/append_file.h"

namespace ganscale::report {

/// A file of JSON lines, each with its "images_seen", in ascending order: stats.jsonl and
/// metrics.jsonl of a run folder.
///
/// A killed run leaves at most one torn line, which the next one drops.
class StatsLog {
 public:
  /// Opens `path` for a run that goes on after `images_seen` images (0: a new run): lines beyond
  /// are dropped, with them a torn last line. Throws OutputError.
  StatsLog(const std::filesystem::path& path, std::int64_t images_seen);

  /// Appends a line, all or nothing. Throws files::OutputError (disk full, ...): the file is as before.
  void append(const nlohmann::ordered_json& line);

 private:
  files::AppendFile file_;
};

/// Reads the lines of a file of JSON lines up to the first that is torn; none if there is no such
/// file.
std::vector<nlohmann::ordered_json> read_json_lines(const std::filesystem::path& path);

}  // namespace ganscale::report
