#include "cli/serve/page_request.h"

#include <nlohmann/json.hpp>

namespace ganscale::cli {

PageReply error_reply(int status, const std::string& why) {
  const nlohmann::ordered_json json{{"error", why}};
  return {.status = status,
          .media_type = "application/json",
          // Queries need not be UTF-8.
          .body = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
}

std::optional<PageReply> refuse(const PageRequest& request, const control::Access& access) {
  const auto parameter = request.query.find("token");
  const bool is_known = control::bears_token(request.authorization, access.token) ||
                        (parameter != request.query.end() &&
                         control::bears_token("Bearer " + parameter->second, access.token));
  if (!is_known) {
    PageReply reply = error_reply(
        401,
        "wrong or missing token: open the address that ganscale serve printed, which ends in "
        "?token=TOKEN, or send the header Authorization: Bearer TOKEN");
    reply.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"ganscale\"");
    return reply;
  }
  if (request.method != "GET") {
    PageReply reply = error_reply(405, "method not allowed; use GET");
    reply.headers.emplace_back("Allow", "GET");
    return reply;
  }
  return std::nullopt;
}

}  // namespace ganscale::cli
