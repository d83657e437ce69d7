#include "kube/watch.h"

#include <array>
#include <utility>

#include "base/error.h"

namespace ganscale::controller {
namespace {

constexpr std::array<std::pair<const char*, WatchKind>, 5> kKinds{{
    {"ADDED", WatchKind::kAdded},
    {"MODIFIED", WatchKind::kModified},
    {"DELETED", WatchKind::kDeleted},
    {"BOOKMARK", WatchKind::kBookmark},
    {"ERROR", WatchKind::kError},
}};

std::string beginning(std::string_view line) { return std::string(line.substr(0, 120)); }

}  // namespace

void LineSplitter::feed(std::string_view bytes,
                        const std::function<void(std::string_view)>& on_line) {
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    rest_.append(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
    const std::string line = std::exchange(rest_, {});
    if (!line.empty()) on_line(line);
  }
  if (rest_.size() + bytes.size() > kLongestLineBytes) {
    rest_.clear();
    throw DataError("a line of a watch is too long: " + std::to_string(kLongestLineBytes));
  }
  rest_.append(bytes);
}

WatchEvent parse_watch_event(std::string_view line) {
  Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("object") || !json["object"].is_object() ||
      !json.contains("type") || !json["type"].is_string()) {
    throw DataError("a line of a watch is no event: " + beginning(line));
  }
  for (const auto& [word, kind] : kKinds) {
    if (json["type"] != word) continue;
    WatchEvent event{.kind = kind, .object = std::move(json["object"]), .code = 0};
    const auto code = event.object.find("code");
    if (kind == WatchKind::kError && code != event.object.end() && code->is_number_integer()) {
      event.code = code->get<int>();
    }
    const auto metadata = event.object.find("metadata");
    const bool is_whole = metadata != event.object.end() && metadata->is_object();
    if (kind != WatchKind::kError && !is_whole) break;
    return event;
  }
  throw DataError("a line of a watch is no event: " + beginning(line));
}

}  // namespace ganscale::controller
