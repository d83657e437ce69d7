#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;

namespace ganscale::files {

/// Computes a SHA-256 incrementally (OpenSSL).
class Sha256 {
 public:
  Sha256();
  void update(std::span<const std::byte> bytes);
  /// Returns the digest as 64 hexadecimal digits. Must be the last call.
  std::string finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace ganscale::files
