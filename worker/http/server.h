#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "http/tls.h"

namespace ganscale::http {

/// The head of a request.
struct Head {
  std::string method;         ///< upper case
  std::string path;           ///< as it was sent
  std::string query;          ///< as it was sent, without the question mark
  std::string authorization;  ///< the header's value; empty without one, as the next
  std::string content_type;
  std::optional<std::uint64_t> content_length_bytes;
  std::string peer;  ///< address of the client
};

struct Reply {
  int status = 200;
  std::string media_type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// What a server does with a request. The functions are called on the server's only thread, where
/// they must not wait; of those that throw, the client gets 500.
struct Handlers {
  using Send = std::function<void(const Reply&)>;

  /// Returns the reply to a request that its head is reason enough to refuse, whose body is then
  /// not read; nothing for all others.
  std::function<std::optional<Reply>(const Head&)> refuse;
  /// Answers any other request. `send` may be called later and on any thread, once.
  std::function<void(const Head&, const std::string& body, const Send& send)> answer;
};

/// Returns 405 for other methods than GET, for Handlers::refuse.
std::optional<Reply> refuse_all_but_get(const Head& head);

/// What a client can take up. What exceeds it ends the connection, after 413 or 431 if that can
/// still be sent.
struct Limits {
  std::chrono::milliseconds transfer{10'000};  ///< of a request, or of a part of its reply
  std::uint32_t head_bytes = 16384;
  std::uint64_t body_bytes = 4096;
  /// Beyond that many, the connection that has waited for its client for the longest is closed.
  std::size_t connections = 256;
};

/// A server of HTTP/1.1 over TCP or TLS, for a few clients that may be slow or hostile.
class Server {
 public:
  /// Listens on an IPv4 address; port 0: any free one. Throws std::system_error if that fails:
  /// std::errc::address_in_use if the port is taken, another code if the address is not one of this
  /// machine. Throws TlsError if the files of `tls` can't be used; they are read again for each
  /// client.
  Server(const std::string& address, int port, Handlers handlers, const Limits& limits = {},
         const TlsFiles& tls = {});
  /// Closes all connections. What was sent by then has a second to reach its clients.
  ~Server();

  int port() const;

 private:
  struct Listener;
  std::unique_ptr<Listener> listener_;
};

/// The settings that an address and a port come from.
struct ListenSettings {
  std::string address;
  std::string port;
};

/// Returns why a server can't listen: names the setting, and says what to do.
std::string listen_error(const std::system_error& error, const std::string& address, int port,
                         const ListenSettings& settings);

}  // namespace ganscale::http
