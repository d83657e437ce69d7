#include "files/append_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/log.h"
#include "files/atomic_file.h"
#include "files/uninterrupted.h"

namespace ganscale::files {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int reason) {
  throw OutputError("can't write: " + path.string() + ": " +
                    std::generic_category().message(reason));
}

}  // namespace

AppendFile::AppendFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;  // open() reports the reason
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), ignored);
  descriptor_ = uninterrupted(
      [&] { return ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644); });
  if (descriptor_ < 0) fail(path_, errno);
}

AppendFile::~AppendFile() {
  // Network file systems may report only here that a write failed. Linux closes a file even then.
  if (::close(descriptor_) == 0 || errno == EINTR) return;
  log::warning("The last records may be lost",
               {{"file", path_}, {"reason", std::generic_category().message(errno)}});
}

void AppendFile::append(std::string_view bytes) {
  const auto before = ::lseek(descriptor_, 0, SEEK_END);
  if (before < 0 && errno != ESPIPE) fail(path_, errno);  // a pipe has no end to cut off
  while (!bytes.empty()) {
    const auto written =
        uninterrupted([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
    if (written < 0) break;
    bytes.remove_prefix(static_cast<std::size_t>(written));  // a full disk accepts what fits
  }
  if (bytes.empty()) return;
  const int reason = errno;
  if (uninterrupted([&] { return ::ftruncate(descriptor_, before); }) != 0)
    log::warning("Left an incomplete record at the end", {{"file", path_}});
  fail(path_, reason);
}

void AppendFile::truncate(std::size_t size_bytes) {
  const auto size = static_cast<off_t>(size_bytes);
  if (uninterrupted([&] { return ::ftruncate(descriptor_, size); }) != 0) fail(path_, errno);
}

}  // namespace ganscale::files
