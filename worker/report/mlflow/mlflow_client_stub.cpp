#include "base/error.h"
#include "report/mlflow/mlflow_client.h"

namespace ganscale::report {

struct MlflowClient::Impl {};

void require_mlflow_client(const config::Location& location) {
  throw ConfigError(
      location.text() +
      ": telemetry.mlflow: this build has no network services; leave the section out, "
      "or build with GANSCALE_SERVICES=ON");
}

MlflowClient::MlflowClient(const MlflowAccess& /*access*/, std::chrono::milliseconds /*timeout*/) {
  require_mlflow_client({});
}

MlflowClient::~MlflowClient() = default;

nlohmann::ordered_json MlflowClient::post(const std::string& /*path*/,
                                          const nlohmann::ordered_json& /*body*/) {
  return {};
}

nlohmann::ordered_json MlflowClient::get(const std::string& /*path*/, const std::string& /*name*/,
                                         const std::string& /*value*/) {
  return {};
}

void MlflowClient::put_artifact(const std::string& /*path*/, std::string /*content*/) {}

void MlflowClient::cancel() {}

}  // namespace ganscale::report
