#pragma once

#include <memory>
#include <stdexcept>
#include <string>

namespace boost::asio::ssl {
class context;
}  // namespace boost::asio::ssl

namespace ganscale::http {

/// What a server proves itself with, as PEM files; both empty: it speaks plain HTTP.
struct TlsFiles {
  std::string certificate = {};  ///< a chain that begins with the server's own
  std::string key = {};          ///< of the certificate, without a passphrase
};

/// A certificate or key that can't be used. what() names the file, and says why.
struct TlsError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The TLS of a server, version 1.2 or later.
class Tls {
 public:
  using Context = boost::asio::ssl::context;

  /// Throws TlsError.
  explicit Tls(TlsFiles files);

  /// Returns what the files hold now, for one more client, so that they can be replaced while a
  /// server runs; while they can't be used, what they held before.
  std::shared_ptr<Context> context();

 private:
  TlsFiles files_;
  std::shared_ptr<Context> context_;
};

}  // namespace ganscale::http
