#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "config/node.h"
#include "report/mlflow/mlflow_config.h"

namespace ganscale::report {

/// A request to a tracking server failed.
class MlflowError : public std::runtime_error {
 public:
  /// may_pass: the server is down, slow or busy; otherwise it refused the request.
  MlflowError(const std::string& what, bool may_pass, std::string code = "")
      : std::runtime_error(what), may_pass_(may_pass), code_(std::move(code)) {}
  bool may_pass() const { return may_pass_; }
  /// Returns MLflow's name of the error, such as RESOURCE_DOES_NOT_EXIST; empty without an answer.
  const std::string& code() const { return code_; }

 private:
  bool may_pass_;
  std::string code_;
};

/// Throws ConfigError, which names the location, in a build without services (GANSCALE_SERVICES=OFF).
void require_mlflow_client(const config::Location& location);

/// Speaks MLflow's REST API with one server. A build without services has none: it throws.
class MlflowClient {
 public:
  /// Throws ConfigError for an invalid address.
  MlflowClient(const MlflowAccess& access, std::chrono::milliseconds timeout);
  ~MlflowClient();

  /// Sends a body to a path below /api/2.0/mlflow/, such as runs/create, and returns the answer.
  /// Blocks. Throws MlflowError.
  nlohmann::ordered_json post(const std::string& path, const nlohmann::ordered_json& body);
  /// Sends a GET request with one parameter. Blocks. Throws MlflowError.
  nlohmann::ordered_json get(const std::string& path, const std::string& name,
                             const std::string& value);
  /// Stores a file as the artifact of this path, through the server. Blocks. Throws MlflowError.
  void put_artifact(const std::string& path, std::string content);
  /// Ends a request of another thread soon, and every later one at once.
  void cancel();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ganscale::report
