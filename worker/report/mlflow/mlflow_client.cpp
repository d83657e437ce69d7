#include "report/mlflow/mlflow_client.h"

// cpprestsdk's macro U collides with names of other libraries.
#define _TURN_OFF_PLATFORM_STRING  // NOLINT: theirs, not ours
#include <cpprest/http_client.h>
#include <pplx/threadpool.h>

#include <mutex>
#include <utility>

#include "base/error.h"

namespace ganscale::report {
namespace {

namespace http = web::http;

constexpr const char* kApi = "/api/2.0/mlflow/";
constexpr const char* kArtifactsApi = "/api/2.0/mlflow-artifacts/artifacts/";
constexpr int kThreads = 2;

/// Starts the threads of cpprestsdk, which would be 40.
void start_threads() {
  static std::once_flag once;
  std::call_once(once, [] { crossplat::threadpool::initialize_with_threads(kThreads); });
}

std::string authorization_of(const MlflowAccess& access) {
  if (!access.username.empty()) {
    const std::string pair = access.username + ":" + access.password;
    return "Basic " + utility::conversions::to_base64({pair.begin(), pair.end()});
  }
  return access.token.empty() ? "" : "Bearer " + access.token;
}

http::client::http_client_config config_of(const MlflowAccess& access,
                                           std::chrono::milliseconds timeout) {
  http::client::http_client_config config;
  config.set_timeout(timeout);
  config.set_validate_certificates(!access.trusts_any_certificate);
  return config;
}

}  // namespace

struct MlflowClient::Impl {
  Impl(const MlflowAccess& access, std::chrono::milliseconds timeout)
      : authorization(authorization_of(access)), client(access.uri, config_of(access, timeout)) {}

  nlohmann::ordered_json send(const std::string& what, http::http_request request) {
    if (!authorization.empty()) request.headers().add("Authorization", authorization);
    http::status_code status = 0;
    std::string body;
    try {
      const auto response = client.request(request, canceled.get_token()).get();
      status = response.status_code();
      body = response.extract_utf8string(/*ignore_content_type=*/true).get();
    } catch (const std::exception& error) {
      throw MlflowError(what + ": " + error.what(), /*may_pass=*/true);
    }
    return parse_mlflow_answer(what, status, body);
  }

  const std::string authorization;
  http::client::http_client client;
  pplx::cancellation_token_source canceled;
};

void require_mlflow_client(const config::Location& /*location*/) {}

MlflowClient::MlflowClient(const MlflowAccess& access, std::chrono::milliseconds timeout) {
  start_threads();
  try {
    impl_ = std::make_unique<Impl>(access, timeout);
  } catch (const std::exception& error) {
    throw ConfigError("telemetry.mlflow.uri: not the address of a server: " + access.uri + " (" +
                      error.what() + ")");
  }
}

MlflowClient::~MlflowClient() = default;

nlohmann::ordered_json MlflowClient::post(const std::string& path,
                                          const nlohmann::ordered_json& body) {
  http::http_request request(http::methods::POST);
  request.set_request_uri(kApi + path);
  // The name of a run folder need not be UTF-8.
  request.set_body(body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
                   "application/json");
  return impl_->send(path, request);
}

nlohmann::ordered_json MlflowClient::get(const std::string& path, const std::string& name,
                                         const std::string& value) {
  web::uri_builder uri(kApi + path);
  uri.append_query(name, value);
  http::http_request request(http::methods::GET);
  request.set_request_uri(uri.to_uri());
  return impl_->send(path, request);
}

void MlflowClient::put_artifact(const std::string& path, std::string content) {
  http::http_request request(http::methods::PUT);
  request.set_request_uri(web::uri::encode_uri(kArtifactsApi + path));
  request.set_body(std::move(content), "application/octet-stream");
  impl_->send(path, request);
}

void MlflowClient::cancel() { impl_->canceled.cancel(); }

}  // namespace ganscale::report
