#include "kube/kubeconfig.h"

#include <openssl/evp.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <sstream>

#include "base/error.h"
#include "object/fields.h"
#include "object/lookup.h"
#include "object/yaml.h"

namespace ganscale::controller {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) throw ConfigError("can't read the file: " + path.string());
  return text.str();
}

std::string from_base64(const std::string& text, const std::string& key) {
  std::string bytes(text.size(), '\0');
  const int count = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                    reinterpret_cast<const unsigned char*>(text.data()),
                                    static_cast<int>(text.size()));
  if (count < 0) throw ConfigError("kubeconfig: not base64: " + key);
  bytes.resize(static_cast<std::size_t>(count));
  while (!bytes.empty() && bytes.back() == '\0') bytes.pop_back();  // what stood for the padding
  return bytes;
}

/// Reads NAME-data, or the file that NAME names, relative to the kubeconfig's folder.
std::string data_or_file(Fields& in, const std::string& name, const std::filesystem::path& folder) {
  if (in.has(name + "-data")) return from_base64(in.text(name + "-data"), name + "-data");
  const std::string file = in.text(name);
  return file.empty() ? "" : read_file(folder / file);
}

/// Returns the map under `kind` in the entry of that name of a list.
Json entry(const Json& config, const std::string& list, const std::string& kind,
           const std::string& name) {
  for (const Json& item : list_at(config, ("/" + list).c_str())) {
    if (name.empty() || text_at(item, "/name") != name) continue;
    Json found = item.value(kind, Json::object());
    if (!found.is_object())
      throw ConfigError("kubeconfig: expected a map: " + kind + " of " + name + " in " + list);
    return found;
  }
  throw ConfigError("kubeconfig: " + list + " has no entry: " + name);
}

/// Refuses fields that would change where or as whom we connect. Empty ones say nothing.
void refuse_fields(const Json& map, const std::string& name,
                   std::initializer_list<const char*> fields) {
  for (const char* field : fields) {
    const auto found = map.find(field);
    if (found == map.end() || found->empty() || *found == Json("")) continue;
    throw ConfigError("kubeconfig: " + name + "." + field +
                      " is not supported: the operator connects to cluster.server itself, with "
                      "the user's token or client certificate");
  }
}

/// cpprestsdk would look up the address together with its brackets, as a name.
[[noreturn]] void refuse_ipv6(const std::string& where, const std::string& address) {
  throw ConfigError(
      where + ": an IPv6 address is not supported: give a name or an IPv4 address: " + address);
}

}  // namespace

ClusterAccess read_kubeconfig(const std::string& path) {
  const auto documents = read_yaml_file(path);
  if (documents.size() != 1 || !documents[0].is_object()) {
    throw ConfigError("kubeconfig: expected one map: " + path);
  }
  const Json& config = documents[0];
  const auto folder = std::filesystem::path(path).parent_path();
  const Json context = entry(config, "contexts", "context", text_at(config, "/current-context"));
  const Json cluster_json = entry(config, "clusters", "cluster", text_at(context, "/cluster"));
  const Json user_json = entry(config, "users", "user", text_at(context, "/user"));
  refuse_fields(cluster_json, "cluster", {"proxy-url", "tls-server-name"});
  refuse_fields(user_json, "user",
                {"exec", "auth-provider", "username", "password", "as", "as-groups", "as-uid",
                 "as-user-extra"});
  Fields cluster(cluster_json, "cluster");
  Fields user(user_json, "user");
  ClusterAccess access;
  access.server = cluster.text("server");
  access.insecure = cluster.flag("insecure-skip-tls-verify", false);
  access.ca_pem = data_or_file(cluster, "certificate-authority", folder);
  access.token = user.text("token");
  const std::string token_file = user.text("tokenFile");
  if (!token_file.empty()) access.token_file = (folder / token_file).string();
  access.client_certificate_pem = data_or_file(user, "client-certificate", folder);
  access.client_key_pem = data_or_file(user, "client-key", folder);
  access.name_space = text_at(context, "/namespace", "default");
  if (access.server.empty()) throw ConfigError("kubeconfig: cluster.server is missing: " + path);
  if (access.server.find('[') != std::string::npos) {
    refuse_ipv6("kubeconfig: cluster.server", access.server);
  }
  return access;
}

ClusterAccess in_cluster_access(const std::string& folder) {
  const char* host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || port == nullptr) {
    throw ConfigError("not in a cluster (no KUBERNETES_SERVICE_HOST): use --kubeconfig");
  }
  const std::string name = host;
  if (name.find(':') != std::string::npos) refuse_ipv6("KUBERNETES_SERVICE_HOST", name);
  ClusterAccess access;
  access.server = "https://" + name + ":" + port;
  access.ca_pem = read_file(folder + "/ca.crt");
  access.token_file = folder + "/token";
  access.name_space = read_file(folder + "/namespace");
  return access;
}

Credentials::Credentials(const ClusterAccess& access)
    : file_(access.token_file), token_(access.token) {}

std::string Credentials::token() {
  const std::scoped_lock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (!file_.empty() && now >= read_again_) {
    std::ifstream file(file_);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    text.erase(text.find_last_not_of(" \r\n\t") + 1);
    if (!text.empty()) token_ = text;
    read_again_ = now + std::chrono::minutes(1);
  }
  return token_;
}

void Credentials::refresh() {
  const std::scoped_lock lock(mutex_);
  read_again_ = {};
}

}  // namespace ganscale::controller
