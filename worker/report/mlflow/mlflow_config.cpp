#include "report/mlflow/mlflow_config.h"

#include "base/error.h"
#include "base/host.h"

namespace ganscale::report {
namespace {

constexpr const char* kDefaultExperiment = "Default";  // MLflow's

/// Returns an address without what may be a password: of a database, it is in front of the host, or
/// in the query.
std::string without_password(const std::string& uri) {
  const std::size_t scheme = uri.find("://");
  const std::string start = scheme == std::string::npos ? "" : uri.substr(0, scheme + 3);
  const std::size_t at = uri.rfind('@');
  const std::size_t query = uri.find('?');
  if (at == std::string::npos) return uri.substr(0, query);
  if (query < at) return start + "***";  // either sign may be part of the password
  return start + "***" + uri.substr(at, query - at);
}

/// Returns what is wrong with an address; empty if nothing is.
std::string fault_of(const std::string& uri) {
  if (!uri.starts_with("http://") && !uri.starts_with("https://"))
    return "expected a tracking server, http://... or https://...: " + without_password(uri);
  const std::size_t host = uri.find("//") + 2;
  if (uri.substr(host, uri.find('/', host) - host).find('@') != std::string::npos)
    return "must not contain a password, which would be written to the run folder; set "
           "MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD instead";
  return "";
}

std::string first_of(const std::string& preferred, const std::string& fallback) {
  return preferred.empty() ? fallback : preferred;
}

std::string without_final_slash(std::string uri) {
  while (uri.ends_with('/')) uri.pop_back();
  return uri;
}

}  // namespace

MlflowConfig parse_mlflow(config::Section in) {
  MlflowConfig c;
  c.uri = in.get("uri", c.uri,
                 "address of an MLflow tracking server that the run is logged to; empty: "
                 "MLFLOW_TRACKING_URI if there is an experiment, otherwise none");
  const std::string fault = c.uri.empty() ? "" : fault_of(c.uri);
  in.require(fault.empty(), "uri", fault);
  c.experiment = in.get("experiment", c.experiment,
                        "experiment of the tracking server, made if it does not exist; empty: "
                        "MLFLOW_EXPERIMENT_NAME or MLflow's default");
  c.run_name = in.get("run_name", c.run_name,
                      "name of the run on the tracking server; empty: the name of the run folder");
  c.location = in.location(c.uri.empty() ? "experiment" : "uri");
  in.reject_unread_keys();
  return c;
}

MlflowEnvironment read_mlflow_environment() {
  const std::string insecure = environment_variable({"MLFLOW_TRACKING_INSECURE_TLS"});
  return {.uri = environment_variable({"MLFLOW_TRACKING_URI"}),
          .experiment = environment_variable({"MLFLOW_EXPERIMENT_NAME"}),
          .username = environment_variable({"MLFLOW_TRACKING_USERNAME"}),
          .password = environment_variable({"MLFLOW_TRACKING_PASSWORD"}),
          .token = environment_variable({"MLFLOW_TRACKING_TOKEN"}),
          .trusts_any_certificate = insecure == "true" || insecure == "1"};
}

MlflowAccess mlflow_access(const MlflowConfig& config, const MlflowEnvironment& environment) {
  MlflowAccess access;
  access.uri = without_final_slash(first_of(config.uri, environment.uri));
  const std::string where = config.location.text() + ": ";
  if (access.uri.empty()) {
    throw ConfigError(where +
                      "telemetry.mlflow.experiment: set telemetry.mlflow.uri or "
                      "MLFLOW_TRACKING_URI to the address of a tracking server");
  }
  if (const std::string fault = fault_of(access.uri); !fault.empty())
    throw ConfigError(where + "MLFLOW_TRACKING_URI: " + fault);
  access.experiment =
      first_of(first_of(config.experiment, environment.experiment), kDefaultExperiment);
  if (!environment.username.empty() && !environment.password.empty()) {
    access.username = environment.username;
    access.password = environment.password;
  } else {
    access.token = environment.token;
  }
  access.trusts_any_certificate = environment.trusts_any_certificate;
  return access;
}

}  // namespace ganscale::report
