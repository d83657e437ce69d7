#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "config/node.h"
#include "report/mlflow/mlflow_answer.h"
#include "report/mlflow/mlflow_config.h"

namespace ganscale::report {

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
