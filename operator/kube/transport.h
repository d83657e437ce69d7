#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ganscale::controller {

struct HttpRequest {
  std::string method = "GET";
  std::string path;  ///< with its query, percent-encoded
  std::string body{};
  std::string content_type = "application/json";
  std::string accept = "application/json";
};

struct HttpResponse {
  int status = 0;
  std::string body{};
  std::optional<std::chrono::seconds> retry_after;
};

/// There was no answer: no connection, a broken one, or none in time.
class TransportError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Carries HTTP to one server. Calls block; any thread may call.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Throws TransportError.
  virtual HttpResponse send(const HttpRequest& request) = 0;

  /// Gives the parts of the answer's body to `on_bytes` as they come, until the body ends, stop()
  /// is called, or nothing came for the idle time. Of an answer other than 200 the body is returned
  /// whole. Throws TransportError.
  virtual HttpResponse stream(const HttpRequest& request,
                              const std::function<void(std::string_view)>& on_bytes) = 0;

  /// Ends a stream() of another thread soon, and every later one at once.
  virtual void stop() = 0;

  /// Reads credentials again, because the server refused them.
  virtual void refresh() = 0;
};

}  // namespace ganscale::controller
