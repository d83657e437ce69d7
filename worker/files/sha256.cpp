#include "files/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "base/error.h"
#include "files/hex.h"

namespace ganscale::files {

void Sha256::Free::operator()(evp_md_ctx_st* context) const noexcept { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  check(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1,
        "OpenSSL has no SHA-256");
}

void Sha256::update(std::span<const std::byte> bytes) {
  check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1, "SHA-256 failed");
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int digest_bytes = 0;
  check(EVP_DigestFinal_ex(context_.get(), digest.data(), &digest_bytes) == 1, "SHA-256 failed");
  return hex({reinterpret_cast<const char*>(digest.data()), digest_bytes});
}

}  // namespace ganscale::files
