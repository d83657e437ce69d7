#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "control/access.h"
#include "wire/command.h"
#include "wire/job_status.h"

/// The responses of the control port, as pure functions. A request is first checked by its head, so
/// that the body of a refused one is never read.
///
/// | request | response |
/// |---|---|
/// | GET /healthz | 200 |
/// | GET /readyz | 200 while it trains; 503 before the first step and after a failure |
/// | GET /status | 200, the status as JSON |
/// | POST /commands {"command": "pause"} | 202; takes effect after the current step |
/// | a command other than stop, with a scheme that takes only stop | 409 |
///
/// With a token, every request but the two probes must have it (401). Without one, only GET
/// requests from this machine are served (403). The probes are open to all: they reveal nothing,
/// and kubelets have no token.
namespace ganscale::control {

inline constexpr std::size_t kLargestBodyBytes = 4096;

/// The head of a request.
struct Request {
  std::string method;  ///< upper case
  std::string path;
  std::string authorization;
  std::string content_type;
  std::optional<std::uint64_t> content_length_bytes;
  bool peer_is_loopback = false;
};

struct Response {
  int status = 200;
  nlohmann::ordered_json body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<wire::Command> command;  ///< for the training
};

/// Returns an error response if the head alone is reason to refuse the request: 401, 403, 404, 405,
/// 411, 413 or 415. Returns nothing if answer() must handle it.
std::optional<Response> refuse(const Request& request, const Access& access);

/// Returns the response to a request that was not refused. An invalid command gives 400.
Response answer(const Request& request, const std::string& body, const wire::JobStatus& status);

/// Returns the response to a command that a training does not take: 409.
Response no_commands(const std::string& why);

/// Returns the response to a command while too many earlier ones are pending: 503.
Response too_many_commands();

}  // namespace ganscale::control
