#include "report/stats_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "base/log.h"
#include "report/output_file.h"

namespace ganscale::report {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw OutputError("can't write: " + path.string() + ": " +
                    std::error_code(errno, std::generic_category()).message());
}

struct Line {
  nlohmann::ordered_json object;
  std::size_t end_bytes;  // offset behind its newline
};

std::vector<Line> split_lines(const std::string& text) {
  std::vector<Line> lines;
  std::size_t begin = 0;
  for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    auto object = nlohmann::ordered_json::parse(text.begin() + begin, text.begin() + end,
                                                /*cb=*/nullptr, /*allow_exceptions=*/false);
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

StatsLog::StatsLog(std::filesystem::path path, std::int64_t images_seen) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail(path_);
  const auto text = read_file(path_);
  const auto keep = bytes_to_keep(text, images_seen);
  if (keep < text.size() && ::ftruncate(descriptor_, static_cast<off_t>(keep)) != 0) {
    ::close(descriptor_);
    fail(path_);
  }
}

StatsLog::~StatsLog() { ::close(descriptor_); }

void StatsLog::append(const nlohmann::ordered_json& line) {
  const auto text =
      line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
  const auto before = ::lseek(descriptor_, 0, SEEK_END);
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));  // a full disk takes the part that fits
  }
  if (rest.empty()) return;
  const int reason = errno;
  if (::ftruncate(descriptor_, before) != 0) log::warning("Left a torn line", {{"file", path_}});
  errno = reason;
  fail(path_);
}

std::vector<nlohmann::ordered_json> read_json_lines(const std::filesystem::path& path) {
  std::vector<nlohmann::ordered_json> objects;
  if (!std::filesystem::exists(path)) return objects;
  for (auto& line : split_lines(read_file(path))) objects.push_back(std::move(line.object));
  return objects;
}

}  // namespace ganscale::report
