#include "kind/spec_hash.h"

#include <cstddef>
#include <span>

#include "files/sha256.h"

namespace ganscale::controller {

std::string spec_hash(const std::string& text) {
  constexpr std::size_t kKeptDigits = 16;
  files::Sha256 sha;
  sha.update(std::as_bytes(std::span(text)));
  return sha.finish().substr(0, kKeptDigits);
}

}  // namespace ganscale::controller
