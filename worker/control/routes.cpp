#include "control/routes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"
#include "wire/names.h"

namespace ganscale::control {
namespace {

struct Route {
  const char* path;
  const char* method;
  bool is_probe;
};

constexpr std::array<Route, 4> kRoutes{{
    {wire::path::kHealth, "GET", true},
    {wire::path::kReady, "GET", true},
    {wire::path::kStatus, "GET", false},
    {wire::path::kCommands, "POST", false},
}};

const Route* find_route(const std::string& path) {
  const auto route = std::find_if(kRoutes.begin(), kRoutes.end(),
                                  [&](const Route& known) { return path == known.path; });
  return route == kRoutes.end() ? nullptr : &*route;
}

Response error(int status, const std::string& why) {
  return {.status = status, .body = {{"error", why}}, .headers = {}, .command = {}};
}

std::optional<Response> refuse_stranger(const Request& request, const Access& access) {
  if (access.needs_token) {
    if (bears_token(request.authorization, access.token)) return std::nullopt;
    Response response = error(401, "the header Authorization: Bearer <token> is required");
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"ganscale\"");
    return response;
  }
  if (!request.peer_is_loopback) {
    return error(403, "without telemetry.token_file only requests from this machine are allowed");
  }
  if (request.method != "GET") {
    return error(403, "without telemetry.token_file only GET is allowed");
  }
  return std::nullopt;
}

bool is_json(std::string content_type) {
  content_type.resize(std::min(content_type.find(';'), content_type.size()));
  content_type = in_lower_case(std::move(content_type));
  return content_type == "application/json" || content_type == "application/json ";
}

std::optional<Response> refuse_body(const Request& request) {
  if (!request.content_length_bytes) return error(411, "Content-Length is required");
  if (*request.content_length_bytes > kLargestBodyBytes) {
    return error(413, "a body has at most " + std::to_string(kLargestBodyBytes) + " bytes");
  }
  if (!is_json(request.content_type)) return error(415, "the body must be application/json");
  return std::nullopt;
}

Response ready(wire::JobState state) {
  const bool trains = state != wire::JobState::kStarting && state != wire::JobState::kFailed;
  return {
      .status = trains ? 200 : 503, .body = {{"state", name(state)}}, .headers = {}, .command = {}};
}

Response take_command(const std::string& body) {
  const auto command = wire::parse_command(body);
  if (!command) {
    return error(400, R"(expected {"command": "pause"}, or "resume", "checkpoint", "stop")");
  }
  return {.status = 202, .body = wire::to_json(*command), .headers = {}, .command = command};
}

}  // namespace

std::optional<Response> refuse(const Request& request, const Access& access) {
  const Route* route = find_route(request.path);
  const bool is_probe = route != nullptr && route->is_probe;
  if (!is_probe) {
    if (auto refusal = refuse_stranger(request, access)) return refusal;
  }
  if (route == nullptr) return error(404, "no such path: " + request.path);
  if (request.method != route->method) {
    Response response = error(405, std::string("method not allowed; use ") + route->method);
    response.headers.emplace_back("Allow", route->method);
    return response;
  }
  return request.method == "POST" ? refuse_body(request) : std::nullopt;
}

Response answer(const Request& request, const std::string& body, const wire::JobStatus& status) {
  if (request.path == wire::path::kCommands) return take_command(body);
  if (request.path == wire::path::kReady) return ready(status.state);
  Response response;
  response.body = request.path == wire::path::kStatus ? wire::to_json(status)
                                                      : nlohmann::ordered_json{{"healthy", true}};
  return response;
}

Response no_commands(const std::string& why) { return error(409, why); }

Response too_many_commands() {
  Response response = error(503, "too many commands are waiting; try again");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace ganscale::control
