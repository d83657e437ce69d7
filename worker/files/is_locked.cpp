#include "files/is_locked.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "files/file_descriptor.h"

namespace ganscale::files {

bool is_locked(const std::filesystem::path& file) {
  const FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return false;
  while (flock(descriptor.get(), LOCK_SH | LOCK_NB) != 0) {
    if (errno != EINTR) return errno == EWOULDBLOCK;
  }
  return false;  // closing the file gives the lock back
}

}  // namespace ganscale::files
