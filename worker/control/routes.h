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

/// What the control port answers; pure. A request is judged by its head first, so that the body of
/// one that is refused is never read.
///
/// | request | answer |
/// |---|---|
/// | GET /healthz | 200: the process answers |
/// | GET /readyz | 200 while it trains; 503 before the first step and after it failed |
/// | GET /status | 200, the status as JSON |
/// | POST /commands {"command": "pause"} | 202; the training takes it after the step it is in |
///
/// With a token every request but the two probes must bear it (401); without one only GET from this
/// machine is answered (403). The probes are open to all: they tell nothing, and a kubelet that
/// asks has no token.
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
  std::optional<wire::Command> command;  ///< what the training is told
};

/// Returns the refusal of a request whose head is enough to refuse it: 401, 403, 404, 405, 411, 413
/// or 415. Nothing if answer() shall see it.
std::optional<Response> refuse(const Request& request, const Access& access);

/// Answers a request that was not refused. A body that is no command gives 400.
Response answer(const Request& request, const std::string& body, const wire::JobStatus& status);

/// Returns the answer to a command that can't be taken now, because earlier ones still wait: 503.
Response too_many_commands();

}  // namespace ganscale::control
