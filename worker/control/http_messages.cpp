#include "control/http_messages.h"

namespace ganscale::control {

Request request_of(const http::Head& head) {
  return {.method = head.method,
          .path = head.path,
          .authorization = head.authorization,
          .content_type = head.content_type,
          .content_length_bytes = head.content_length_bytes,
          .peer_is_loopback = is_loopback(head.peer)};
}

http::Reply reply_of(const Response& response) {
  return {
      .status = response.status,
      .media_type = "application/json",
      // Paths need not be UTF-8, and a response must not throw.
      .body = response.body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
      .headers = response.headers};
}

}  // namespace ganscale::control
