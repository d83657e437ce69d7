#include "files/is_locked.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "files/file_descriptor.h"
#include "files/uninterrupted.h"

namespace ganscale::files {

bool is_locked(const std::filesystem::path& file) {
  const FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return false;
  // Closing the file gives the lock back.
  return uninterrupted([&] { return flock(descriptor.get(), LOCK_SH | LOCK_NB); }) != 0 &&
         errno == EWOULDBLOCK;
}

}  // namespace ganscale::files
