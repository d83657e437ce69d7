#include "telemetry/shared_segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.h"
#include "base/log.h"

namespace ganscale::telemetry {
namespace {

// Zeroed memory is a valid header.
struct alignas(64) Header {
  std::atomic<int> parties_come{0};
};

/// Returns the mapping, or MAP_FAILED with the reason in errno.
void* map_shared(const std::string& path, std::size_t size_bytes) {
  const int file = shm_open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) return MAP_FAILED;
  // ftruncate would succeed on a full /dev/shm, and the first write would raise SIGBUS.
  errno = posix_fallocate(file, 0, static_cast<off_t>(size_bytes));
  void* memory = MAP_FAILED;
  if (errno == 0) memory = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int reason = errno;
  close(file);
  errno = reason;
  return memory;
}

}  // namespace

SharedSegment::SharedSegment(const std::string& name, std::size_t size_bytes, int parties)
    : mapped_bytes_(sizeof(Header) + size_bytes), parties_(parties) {
  void* memory = MAP_FAILED;
  if (parties > 1 && !name.empty()) {
    path_ = "/ganscale-" + name;
    memory = map_shared(path_, mapped_bytes_);
    if (memory == MAP_FAILED) {
      log::warning("No shared memory: the metrics of the node's other ranks are not exposed",
                   {{"name", path_}, {"reason", std::strerror(errno)}});
      shm_unlink(path_.c_str());
      path_.clear();
    }
  }
  if (memory == MAP_FAILED) {
    memory =
        mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  }
  header_ = memory;
  data_ = static_cast<std::byte*>(memory) + sizeof(Header);
  if (path_.empty()) return;
  const int come = static_cast<Header*>(header_)->parties_come.fetch_add(1) + 1;
  if (come == parties_) shm_unlink(path_.c_str());
}

SharedSegment::~SharedSegment() {
  // This party ends before all have mapped the segment: nothing needs the name any more.
  const bool named =
      !path_.empty() && static_cast<Header*>(header_)->parties_come.load() < parties_;
  if (named) shm_unlink(path_.c_str());
  munmap(header_, mapped_bytes_);
}

}  // namespace ganscale::telemetry
