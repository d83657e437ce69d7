#include "controller/health_server.h"

// cpprestsdk's macro U is a name that other libraries use.
#define _TURN_OFF_PLATFORM_STRING  // NOLINT: theirs, not ours
#include <cpprest/http_listener.h>

#include "base/error.h"
#include "wire/names.h"

namespace ganscale::controller {
namespace {

using web::http::http_request;

int answer(const std::string& path, const HealthServer::Checks& checks) {
  if (path == wire::path::kHealth) return checks.alive() ? 200 : 503;
  if (path == wire::path::kReady) return checks.ready() ? 200 : 503;
  return 404;
}

}  // namespace

struct HealthServer::Listener {
  explicit Listener(const std::string& address) : http("http://" + address) {}
  web::http::experimental::listener::http_listener http;
};

HealthServer::HealthServer(const std::string& address, const Checks& checks) {
  try {
    listener_ = std::make_unique<Listener>(address);
    listener_->http.support("GET", [checks](const http_request& request) {
      const int status = answer(request.relative_uri().path(), checks);
      request.reply(static_cast<web::http::status_code>(status))
          .then([](const pplx::task<void>& sent) {
            try {
              sent.get();
            } catch (const std::exception&) {
              // A client that is gone by now is not an error of ours.
            }
          });
    });
    listener_->http.open().get();
  } catch (const std::exception& error) {
    throw ConfigError("--health-address: can't listen on " + address + ": " + error.what());
  }
}

HealthServer::~HealthServer() {
  try {
    listener_->http.close().wait();
  } catch (const std::exception&) {
    // It is going away, and so are its connections.
  }
}

}  // namespace ganscale::controller
