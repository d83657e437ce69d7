#include "files/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include "files/atomic_file.h"
#include "files/input_error.h"
#include "files/uninterrupted.h"

namespace ganscale::files {
namespace {

[[noreturn]] void fail(const char* what, const std::filesystem::path& path) {
  throw OutputError(std::string(what) + ": " + path.string() + ": " +
                    std::generic_category().message(errno));
}

FileDescriptor open_file(const std::filesystem::path& file, int flags) {
  return FileDescriptor(
      uninterrupted([&] { return ::open(file.c_str(), flags | O_CLOEXEC, 0666); }));
}

int sync(int descriptor) {
  return uninterrupted([&] { return ::fsync(descriptor); });
}

void sync_folder_of(const std::filesystem::path& entry) {
  sync_folder(entry.has_parent_path() ? entry.parent_path() : ".");
}

}  // namespace

DurableFile::DurableFile(std::filesystem::path file)
    : file_(std::move(file)), descriptor_(open_file(file_, O_WRONLY | O_CREAT | O_TRUNC)) {
  if (descriptor_.get() < 0) fail("cannot create the file", file_);
}

void DurableFile::write(std::span<const std::byte> bytes) {
  sha256_.update(bytes);
  size_bytes_ += static_cast<std::int64_t>(bytes.size());
  while (!bytes.empty()) {
    const ssize_t written_bytes =
        uninterrupted([&] { return ::write(descriptor_.get(), bytes.data(), bytes.size()); });
    if (written_bytes < 0) fail("cannot write the file", file_);
    bytes = bytes.subspan(static_cast<std::size_t>(written_bytes));
  }
}

FileDigest DurableFile::finish() {
  if (sync(descriptor_.get()) != 0) fail("cannot flush the file to the disk", file_);
  // Network file systems may report a full quota only here. An interrupted file is closed, too.
  if (::close(descriptor_.release()) != 0 && errno != EINTR) fail("cannot close the file", file_);
  return {size_bytes_, sha256_.finish()};
}

FileDigest digest_file(const std::filesystem::path& file) {
  const FileDescriptor descriptor = open_file(file, O_RDONLY);
  if (descriptor.get() < 0) fail_to_read(file, errno);
  constexpr std::size_t kPieceBytes = 1 << 20;
  std::vector<std::byte> piece(kPieceBytes);
  Sha256 sha256;
  std::int64_t size_bytes = 0;
  while (true) {
    const ssize_t read_bytes =
        uninterrupted([&] { return ::read(descriptor.get(), piece.data(), piece.size()); });
    if (read_bytes < 0) fail_to_read(file, errno);
    if (read_bytes == 0) break;
    sha256.update(std::span(piece).first(static_cast<std::size_t>(read_bytes)));
    size_bytes += read_bytes;
  }
  return {size_bytes, sha256.finish()};
}

void sync_file(const std::filesystem::path& file) {
  const FileDescriptor descriptor = open_file(file, O_RDONLY);
  if (descriptor.get() < 0) fail("cannot open the file", file);
  if (sync(descriptor.get()) != 0) fail("cannot flush the file to the disk", file);
}

void sync_folder(const std::filesystem::path& folder) {
  const FileDescriptor descriptor = open_file(folder, O_RDONLY | O_DIRECTORY);
  if (descriptor.get() < 0) fail("cannot open the folder", folder);
  // Some network file systems cannot flush a folder and say so with EINVAL.
  if (sync(descriptor.get()) != 0 && errno != EINVAL) {
    fail("cannot flush the folder to the disk", folder);
  }
}

void create_folders(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> parents;  // of those that are missing
  for (auto missing = folder; !missing.empty() && is_missing(missing);
       missing = missing.parent_path()) {
    parents.push_back(missing.has_parent_path() ? missing.parent_path() : ".");
  }
  std::filesystem::create_directories(folder);
  for (const auto& parent : parents) sync_folder(parent);
}

bool exchange_durably(const std::filesystem::path& one, const std::filesystem::path& other) {
  const int result = ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
  if (result != 0) return false;
  sync_folder_of(other);
  return true;
}

void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail("cannot rename to", to);
  sync_folder_of(to);
}

}  // namespace ganscale::files
