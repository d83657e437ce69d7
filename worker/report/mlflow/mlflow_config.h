#pragma once

#include <string>

#include "config/section.h"

namespace ganscale::report {

/// Whether and where a run is logged to an MLflow tracking server.
struct MlflowConfig {
  std::string uri;         ///< empty: MLFLOW_TRACKING_URI
  std::string experiment;  ///< empty: MLFLOW_EXPERIMENT_NAME, otherwise MLflow's own default
  std::string run_name;    ///< empty: the name of the run folder
  config::Location location = {};  ///< for what only the environment can show

  /// Whether the run is logged. The environment alone does not turn it on: it may be set for
  /// other programs.
  bool is_wanted() const { return !uri.empty() || !experiment.empty(); }
};

/// Reads the section `telemetry.mlflow`. Throws ConfigError: an address that is not a server's, or
/// one with a password, which would be written to the run folder.
MlflowConfig parse_mlflow(config::Section in);

/// The environment of all clients of MLflow.
struct MlflowEnvironment {
  std::string uri;                      ///< MLFLOW_TRACKING_URI
  std::string experiment;               ///< MLFLOW_EXPERIMENT_NAME
  std::string username;                 ///< MLFLOW_TRACKING_USERNAME
  std::string password;                 ///< MLFLOW_TRACKING_PASSWORD
  std::string token;                    ///< MLFLOW_TRACKING_TOKEN
  bool trusts_any_certificate = false;  ///< MLFLOW_TRACKING_INSECURE_TLS
};

MlflowEnvironment read_mlflow_environment();

/// A tracking server and its credentials. Holds secrets: never written to a file or a log.
struct MlflowAccess {
  std::string uri;
  std::string experiment;
  std::string username;  ///< with the password; empty: the token, if there is one
  std::string password;
  std::string token;
  bool trusts_any_certificate = false;
};

/// Combines configuration and environment with MLflow's own precedence. Throws ConfigError without an
/// address, or for one that parse_mlflow() would refuse.
MlflowAccess mlflow_access(const MlflowConfig& config, const MlflowEnvironment& environment);

}  // namespace ganscale::report
