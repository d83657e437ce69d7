#include "object/resource.h"

#include <cctype>

namespace ganscale::controller {
namespace {

/// Percent-encodes a segment of a path: what a user wrote for a name must not lead elsewhere.
std::string encoded(const std::string& segment) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-_~";  // and a dot, unless it could mean a folder
  const bool is_folder = segment.find_first_not_of('.') == std::string::npos;
  std::string text;
  for (const char c : segment) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (byte < 128 && std::isalnum(byte) != 0) ||
                          kPlain.find(c) != std::string_view::npos || (c == '.' && !is_folder);
    if (is_plain) {
      text += c;
    } else {
      text += '%';
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
  }
  return text;
}

}  // namespace

std::string Resource::path(const std::string& name_space) const {
  const bool is_core = api_version.find('/') == std::string::npos;
  return (is_core ? "/api/" : "/apis/") + api_version +
         (name_space.empty() ? "" : "/namespaces/" + encoded(name_space)) + "/" + plural;
}

std::string Resource::path(const Key& key) const {
  return path(key.name_space) + "/" + encoded(key.name);
}

}  // namespace ganscale::controller
