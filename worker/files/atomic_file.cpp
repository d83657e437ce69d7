#include "files/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <system_error>
#include <vector>

#include "files/durable_file.h"
#include "files/file_descriptor.h"
#include "files/hex.h"
#include "files/input_error.h"
#include "files/uninterrupted.h"

namespace ganscale::files {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::error_code& reason) {
  throw OutputError("can't write: " + path.string() + ": " + reason.message());
}

void create_parent(const std::filesystem::path& path) {
  if (!path.has_parent_path()) return;
  try {
    create_folders(path.parent_path());
  } catch (const std::filesystem::filesystem_error& error) {
    fail(path.parent_path(), error.code());
  }
}

}  // namespace

std::filesystem::path temporary_beside(std::filesystem::path path) {
  std::random_device device;
  path += "." + hex(std::uint64_t{device()} << 32 | device()) + ".tmp";
  return path;
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  create_parent(path);
  const auto temporary = temporary_beside(path);
  try {
    // On the disk before it takes its name: after a power failure the name has all of it.
    DurableFile file(temporary);
    file.write(std::as_bytes(std::span(bytes)));
    file.finish();
    std::error_code reason;
    std::filesystem::rename(temporary, path, reason);
    if (reason) fail(path, reason);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

void prepare_to_write(const std::filesystem::path& path) {
  create_parent(path);
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) fail(folder, {errno, std::generic_category()});
  std::error_code missing;
  if (path.has_filename() && std::filesystem::is_directory(path, missing))
    fail(path, std::make_error_code(std::errc::is_a_directory));
}

std::string read_file(const std::filesystem::path& path, std::uint64_t offset_bytes) {
  const FileDescriptor file(
      uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (file.get() < 0) fail_to_read(path, errno);
  const auto offset = static_cast<off_t>(offset_bytes);
  if (offset > 0 && ::lseek(file.get(), offset, SEEK_SET) < 0) fail_to_read(path, errno);
  constexpr std::size_t kPieceBytes = 1 << 16;
  std::vector<char> piece(kPieceBytes);
  std::string bytes;
  while (true) {
    const ssize_t count =
        uninterrupted([&] { return ::read(file.get(), piece.data(), piece.size()); });
    if (count < 0) fail_to_read(path, errno);
    if (count == 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace ganscale::files
