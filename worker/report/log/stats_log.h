#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "files/append_file.h"

namespace ganscale::report {

/// A file of JSON lines in ascending order of "images_seen": stats.jsonl and metrics.jsonl of a run
/// folder.
///
/// A killed run leaves at most one incomplete line, which the next run removes.
class StatsLog {
 public:
  /// Opens `path` for a run that resumes after `images_seen` images (0: a new run). Removes later
  /// lines and an incomplete last one. Throws OutputError.
  StatsLog(const std::filesystem::path& path, std::int64_t images_seen);

  /// Appends a line, all or nothing. Throws OutputError (disk full, ...) and leaves the file as it
  /// was.
  void append(const nlohmann::ordered_json& line);

 private:
  files::AppendFile file_;
};

/// Returns the line with the time of day, "unix_seconds", to the millisecond.
nlohmann::ordered_json with_time(nlohmann::ordered_json line);

/// Reads a file of JSON lines up to the first incomplete one. A missing file has no lines.
std::vector<nlohmann::ordered_json> read_json_lines(const std::filesystem::path& path);
/// Reads the lines from `offset_bytes` on, and moves it to their end: for a file that grows.
std::vector<nlohmann::ordered_json> read_json_lines(const std::filesystem::path& path,
                                                    std::uint64_t& offset_bytes);

}  // namespace ganscale::report
