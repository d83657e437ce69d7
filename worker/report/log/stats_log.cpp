#include "report/log/stats_log.h"

#include <chrono>
#include <string>
#include <string_view>

#include "files/atomic_file.h"
#include "files/input_error.h"
#include "report/log/line_values.h"

namespace ganscale::report {
namespace {

struct Line {
  nlohmann::ordered_json object;
  std::size_t end_bytes;  // offset after its newline
};

std::vector<Line> split_lines(const std::string& text) {
  std::vector<Line> lines;
  std::size_t begin = 0;
  for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    auto object = parse_json(std::string_view(text).substr(begin, end - begin));
    if (!object.is_object()) break;
    begin = end + 1;
    lines.push_back({std::move(object), begin});
  }
  return lines;
}

std::size_t bytes_to_keep(const std::string& text, std::int64_t images_seen) {
  std::size_t keep = 0;
  for (const auto& line : split_lines(text)) {
    const auto seen = line.object.find("images_seen");
    if (seen == line.object.end() || !seen->is_number_integer()) break;
    if (seen->get<std::int64_t>() > images_seen || images_seen == 0) break;
    keep = line.end_bytes;
  }
  return keep;
}

}  // namespace

StatsLog::StatsLog(const std::filesystem::path& path, std::int64_t images_seen) : file_(path) {
  const auto text = files::read_file(path);
  const auto keep = bytes_to_keep(text, images_seen);
  if (keep < text.size()) file_.truncate(keep);
}

void StatsLog::append(const nlohmann::ordered_json& line) {
  file_.append(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

nlohmann::ordered_json with_time(nlohmann::ordered_json line) {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(since_1970);
  line["unix_seconds"] = static_cast<double>(time.count()) / 1000;
  return line;
}

std::vector<nlohmann::ordered_json> read_json_lines(const std::filesystem::path& path) {
  std::uint64_t offset_bytes = 0;
  return read_json_lines(path, offset_bytes);
}

std::vector<nlohmann::ordered_json> read_json_lines(const std::filesystem::path& path,
                                                    std::uint64_t& offset_bytes) {
  std::vector<nlohmann::ordered_json> objects;
  if (files::is_missing(path)) return objects;
  auto lines = split_lines(files::read_file(path, offset_bytes));
  if (!lines.empty()) offset_bytes += lines.back().end_bytes;
  for (Line& line : lines) objects.push_back(std::move(line.object));
  return objects;
}

}  // namespace ganscale::report
