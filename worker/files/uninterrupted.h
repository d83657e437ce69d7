#pragma once

#include <cerrno>

namespace ganscale::files {

/// Repeats a system call as long as signals interrupt it, and returns its result. FUSE
/// and some network file systems let a signal interrupt calls even if its handler restarts them.
template <class Call>
auto uninterrupted(Call call) {
  while (true) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

}  // namespace ganscale::files
