#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace ganscale::controller {

/// How an API server is reached, and as whom.
struct ClusterAccess {
  std::string server;  ///< https://10.96.0.1:443
  std::string ca_pem;  ///< of the server's authority; empty: the system's authorities
  bool insecure = false;
  std::string token;
  std::string token_file;  ///< read again each minute: Kubernetes rotates it
  std::string client_certificate_pem;
  std::string client_key_pem;
  std::string name_space = "default";
  std::string user_agent = "ganscale-operator";  ///< how the audit log knows us
};

/// Reads the current context of a kubeconfig. Throws ConfigError that names what is missing, or
/// what is not supported: programs that give credentials, passwords, impersonation, proxies,
/// another name in the server's certificate, IPv6 addresses.
ClusterAccess read_kubeconfig(const std::string& path);

/// Returns the access that Kubernetes gives a pod: a folder with token, ca.crt and namespace, and
/// the server's address in the environment. Throws ConfigError outside of a cluster, or if the
/// address is IPv6.
ClusterAccess in_cluster_access(
    const std::string& folder = "/var/run/secrets/kubernetes.io/serviceaccount");

/// The bearer token of an access: fixed, or of a file that is read again each minute.
class Credentials {
 public:
  explicit Credentials(const ClusterAccess& access);

  /// Returns the token; empty if there is none. While the file can't be read, the last one.
  std::string token();
  /// Reads the file at the next token().
  void refresh();

 private:
  const std::string file_;
  std::mutex mutex_;
  std::string token_;
  std::chrono::steady_clock::time_point read_again_;
};

}  // namespace ganscale::controller
