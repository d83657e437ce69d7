#include "kube/watch.h"

#include <array>
#include <optional>
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

[[noreturn]] void refuse(std::string_view line) {
  throw DataError("a line of a watch is not an event: " + std::string(line.substr(0, 120)));
}

std::optional<WatchKind> kind_of(const Json& event) {
  for (const auto& [word, kind] : kKinds) {
    if (event.contains("type") && event["type"] == word) return kind;
  }
  return std::nullopt;
}

bool is_object_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object();
}

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
  Json json = parse_json(line);
  const auto kind = json.is_object() ? kind_of(json) : std::nullopt;
  if (!kind || !is_object_at(json, "object")) refuse(line);
  WatchEvent event{.kind = *kind, .object = std::move(json["object"]), .code = 0};
  if (event.kind == WatchKind::kError) {
    const auto code = event.object.find("code");
    if (code != event.object.end() && code->is_number_integer()) event.code = code->get<int>();
  } else if (!is_object_at(event.object, "metadata")) {
    refuse(line);
  }
  return event;
}

}  // namespace ganscale::controller
