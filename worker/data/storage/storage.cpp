#include "data/storage/storage.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "data/storage/local_storage.h"
#include "data/storage/s3_storage.h"

namespace ganscale::data {
namespace {

/// Storage by the beginning of its paths.
struct Scheme {
  std::string_view prefix;
  const Storage& (*storage)();
};

constexpr std::array kSchemes{Scheme{"s3://", s3_storage}};

const Scheme* scheme_of(const std::filesystem::path& path) {
  for (const Scheme& scheme : kSchemes) {
    if (path.native().starts_with(scheme.prefix)) return &scheme;
  }
  return nullptr;
}

}  // namespace

const Storage& storage_of(const std::filesystem::path& path) {
  const Scheme* scheme = scheme_of(path);
  return scheme != nullptr ? scheme->storage() : local_storage();
}

bool is_local(const std::filesystem::path& path) { return scheme_of(path) == nullptr; }

bool is_hidden(std::string_view name) {
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('/'));
    const bool begins_with_dot = part.starts_with('.') && part != "." && part != "..";
    if (begins_with_dot || part == "__MACOSX" || part == "lost+found") return true;
    name.remove_prefix(std::min(name.size(), part.size() + 1));
  }
  return false;
}

std::string lower_extension(std::string_view name) {
  const std::string_view file = name.substr(name.rfind('/') + 1);
  const std::size_t dot = file.rfind('.');
  if (dot == 0 || dot == std::string_view::npos) return {};
  return in_lower_case(std::string(file.substr(dot)));
}

void require_target(const ListedFile& file) {
  if (file.is_broken_link)
    throw DataError("link to a file that does not exist: " + file.path.string());
}

void require_local(const std::filesystem::path& path, const char* what) {
  if (!is_local(path))
    throw ConfigError(std::string(what) + " must be in the file system: " + path.string());
}

void require_no_credentials(const std::filesystem::path& path, const char* what) {
  const Scheme* scheme = scheme_of(path);
  if (scheme == nullptr) return;
  const std::string_view key = std::string_view(path.native()).substr(scheme->prefix.size());
  if (key.substr(0, key.find('/')).find('@') == std::string_view::npos) return;
  throw ConfigError(
      std::string(what) +
      " has credentials in it; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead");
}

}  // namespace ganscale::data
