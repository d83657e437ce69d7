#include "files/atomic_file.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <random>
#include <system_error>

#include "files/hex.h"

namespace ganscale::files {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::error_code& reason) {
  throw OutputError("can't write: " + path.string() + ": " + reason.message());
}

std::error_code last_error() { return {errno != 0 ? errno : EIO, std::generic_category()}; }

}  // namespace

std::filesystem::path temporary_beside(std::filesystem::path path) {
  std::random_device device;
  path += "." + hex(std::uint64_t{device()} << 32 | device()) + ".tmp";
  return path;
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  std::error_code reason;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), reason);
  if (reason) fail(path.parent_path(), reason);
  const auto temporary = temporary_beside(path);
  errno = 0;
  std::ofstream file(temporary, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  reason = file ? std::error_code() : last_error();
  if (!reason) std::filesystem::rename(temporary, path, reason);
  if (!reason) return;
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  fail(path, reason);
}

std::string read_file(const std::filesystem::path& path) {
  const auto refuse = [&](const std::error_code& reason) {
    throw DataError("can't read: " + path.string() + ": " + reason.message());
  };
  // A folder can be opened but not read.
  if (std::filesystem::is_directory(path)) refuse(std::make_error_code(std::errc::is_a_directory));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(last_error());
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) refuse(last_error());
  return bytes;
}

}  // namespace ganscale::files
