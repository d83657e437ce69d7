#pragma once

#include "control/routes.h"
#include "http/server.h"

namespace ganscale::control {

/// Returns the head of a request as routes.h takes it.
Request request_of(const http::Head& head);

/// Returns a response as JSON.
http::Reply reply_of(const Response& response);

}  // namespace ganscale::control
