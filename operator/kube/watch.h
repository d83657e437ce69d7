#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "object/json.h"

namespace ganscale::controller {

/// Cuts a stream of bytes, which comes in parts of any size, into lines.
class LineSplitter {
 public:
  /// A longer line is refused: etcd's largest object has 1.5 MiB, and a cluster may be set to more.
  static constexpr std::size_t kLongestLineBytes = 64 << 20;

  /// Calls `on_line` for each line that is complete now, without its end; empty ones are left out.
  /// Throws DataError for a line that is too long.
  void feed(std::string_view bytes, const std::function<void(std::string_view)>& on_line);

 private:
  std::string rest_;
};

enum class WatchKind { kAdded, kModified, kDeleted, kBookmark, kError };

/// One line of a watch.
struct WatchEvent {
  WatchKind kind = WatchKind::kError;
  Json object;
  int code = 0;  ///< of kError: 410 if the resource version is too old
};

/// Reads a line of a watch. Throws DataError if it is not one.
WatchEvent parse_watch_event(std::string_view line);

}  // namespace ganscale::controller
