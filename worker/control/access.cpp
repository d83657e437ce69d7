#include "control/access.h"

#include <openssl/crypto.h>

#include <array>
#include <fstream>

namespace ganscale::control {
namespace {

constexpr std::size_t kLongestTokenBytes = 4096;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

Access read_access(const std::string& token_file) {
  if (token_file.empty()) return {};
  std::ifstream file(token_file, std::ios::binary);
  std::array<char, kLongestTokenBytes> text{};
  file.read(text.data(), text.size());
  const std::string_view content(text.data(), static_cast<std::size_t>(file.gcount()));
  return {.needs_token = true, .token = std::string(trimmed(content))};
}

bool bears_token(std::string_view authorization, std::string_view token) {
  constexpr std::string_view kScheme = "Bearer ";
  if (token.empty() || authorization.substr(0, kScheme.size()) != kScheme) return false;
  const std::string_view given = trimmed(authorization.substr(kScheme.size()));
  return given.size() == token.size() &&
         CRYPTO_memcmp(given.data(), token.data(), token.size()) == 0;
}

bool is_loopback(std::string_view address) {
  constexpr std::string_view kMapped = "::ffff:";
  if (address.substr(0, kMapped.size()) == kMapped) address.remove_prefix(kMapped.size());
  return address.substr(0, 4) == "127." || address == "::1";
}

}  // namespace ganscale::control
