#include "kube/kubeconfig.h"

#include <cstdlib>

#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::controller {
namespace {

std::string config(const std::string& cluster, const std::string& user) {
  return "current-context: b\n"
         "contexts: [{name: a, context: {cluster: x}}, {name: b, context: {cluster: c, user: u, "
         "namespace: team}}]\n"
         "clusters: [{name: c, cluster: {" +
         cluster + "}}]\nusers: [{name: u, user: {" + user + "}}]\n";
}

void refuses(const std::string& text, const std::string& words) {
  const TemporaryFolder folder;
  const auto file = folder.write("config", text);
  expect_error(ExitCode::kConfig, words, [&] { read_kubeconfig(file); });
}

TEST(Kubeconfig, ReadsTheCurrentContext) {
  const TemporaryFolder folder;
  folder.write("ca.pem", "CA");
  const auto file = folder.write(
      "config", config("server: 'https://s:6443', certificate-authority: ca.pem",
                       "token: t, client-certificate-data: Q0VSVA==, client-key-data: S0VZ"));
  const ClusterAccess access = read_kubeconfig(file);
  EXPECT_EQ(access.server, "https://s:6443");
  EXPECT_EQ(access.ca_pem, "CA");
  EXPECT_EQ(access.token, "t");
  EXPECT_EQ(access.client_certificate_pem, "CERT");
  EXPECT_EQ(access.client_key_pem, "KEY");
  EXPECT_EQ(access.name_space, "team");
}

TEST(Kubeconfig, FindsTheFileOfATokenInItsOwnFolder) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& token_file) {
    return read_kubeconfig(folder.write("config", config("server: s", "tokenFile: " + token_file)));
  };
  EXPECT_EQ(read("token").token_file, (folder / "token").string());
  EXPECT_EQ(read("/run/token").token_file, "/run/token");
}

TEST(Kubeconfig, NamesWhatIsMissing) {
  refuses("current-context: z\n", "contexts has no entry: z");
  refuses(config("x: y", "token: t"), "cluster.server is missing");
  refuses(config("server: s, certificate-authority: no.pem", "token: t"), "no.pem");
  refuses(config("server: s, certificate-authority-data: '%%'", "token: t"),
          "certificate-authority-data");
  expect_error(ExitCode::kConfig, "nowhere", [] { read_kubeconfig("/nowhere"); });
}

// They say where to connect, or as whom: to ignore one would be to act as somebody else.
TEST(Kubeconfig, RefusesFieldsThatItDoesNotFollow) {
  for (const std::string field :
       {"exec: {command: aws}", "auth-provider: {name: oidc}", "username: u", "password: p",
        "as: ann", "as-groups: [ops]", "as-uid: '7'", "as-user-extra: {reason: [x]}"}) {
    refuses(config("server: s", "token: t, " + field),
            "user." + field.substr(0, field.find(':')) + " is not supported");
  }
  for (const std::string field : {"proxy-url: 'http://p:3128'", "tls-server-name: k"}) {
    refuses(config("server: s, " + field, "token: t"),
            "cluster." + field.substr(0, field.find(':')) + " is not supported");
  }
  const TemporaryFolder folder;
  const auto file = folder.write(
      "config", config("server: s, proxy-url: '', tls-server-name: null",
                       "token: t, as: '', as-groups: [], as-user-extra: {}, username: ''"));
  EXPECT_EQ(read_kubeconfig(file).token, "t") << "empty ones say nothing";
}

TEST(Kubeconfig, RefusesAnIpv6Address) {
  refuses(config("server: 'https://[fd00::1]:6443'", "token: t"),
          "cluster.server: an IPv6 address is not supported");
}

TEST(Kubeconfig, RefusesValuesOfAnotherType) {
  refuses("current-context: a\ncontexts: [{name: 1}, 2]\n", "contexts has no entry: a");
  refuses("current-context: 1\ncontexts: [{name: 1}]\n", "contexts has no entry: ");
  refuses("current-context: a\ncontexts: {name: a}\n", "contexts has no entry: a");
  refuses("current-context: a\ncontexts: [{name: a, context: 7}]\n",
          "expected a map: context of a in contexts");
}

TEST(InClusterAccess, IsWhatKubernetesGivesAPod) {
  const TemporaryFolder folder;
  folder.write("ca.crt", "CA");
  folder.write("token", "t");
  folder.write("namespace", "ops");
  setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1", 1);
  setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  const ClusterAccess access = in_cluster_access(folder.path());
  EXPECT_EQ(access.server, "https://10.96.0.1:443");
  EXPECT_EQ(access.token_file, (folder / "token").string());
  EXPECT_EQ(access.name_space, "ops");
  setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  expect_error(ExitCode::kConfig, "KUBERNETES_SERVICE_HOST: an IPv6 address is not supported",
               [&] { in_cluster_access(folder.path()); });
  unsetenv("KUBERNETES_SERVICE_HOST");
  expect_error(ExitCode::kConfig, "use --kubeconfig", [&] { in_cluster_access(folder.path()); });
}

TEST(Credentials, AreReadAgainWhenRefused) {
  const TemporaryFolder folder;
  ClusterAccess access;
  access.token_file = folder.write("token", "first\n");
  Credentials credentials(access);
  EXPECT_EQ(credentials.token(), "first");
  folder.write("token", "second\n");
  EXPECT_EQ(credentials.token(), "first");  // a minute has not passed
  credentials.refresh();
  EXPECT_EQ(credentials.token(), "second");
}

TEST(Credentials, KeepTheLastTokenWhileTheFileIsAway) {
  const TemporaryFolder folder;
  ClusterAccess access;
  access.token_file = folder.write("token", "first");
  Credentials credentials(access);
  EXPECT_EQ(credentials.token(), "first");
  std::filesystem::remove(access.token_file);
  credentials.refresh();
  EXPECT_EQ(credentials.token(), "first");
}

}  // namespace
}  // namespace ganscale::controller
