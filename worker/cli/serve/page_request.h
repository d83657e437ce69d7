#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/serve/image_request.h"
#include "control/access.h"

namespace ganscale::cli {

/// The head of a request for a page of a run. No request has a body.
struct PageRequest {
  std::string method;  ///< upper case
  std::string path;
  std::string authorization;
  Query query;
};

struct PageReply {
  int status = 200;
  std::string media_type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// Returns a reply with the object {"error": why}.
PageReply error_reply(int status, const std::string& why);

/// Returns an error if the head alone is reason to refuse a request: 401 without the token, as the
/// bearer token of the header Authorization or as the parameter `token`; 405 for another method than
/// GET. Returns nothing if the request must be answered.
std::optional<PageReply> refuse(const PageRequest& request, const control::Access& access);

}  // namespace ganscale::cli
