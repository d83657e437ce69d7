#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <atomic>
#include <csignal>
#include <memory>
#include <regex>

#include "base/host.h"
#include "base/log.h"
#include "controller/run_operator.h"
#include "kube/kubeconfig.h"
#include "kube/rest_transport.h"
#include "verbs/kinds.h"
#include "verbs/sources.h"
#include "verbs/verbs.h"

namespace ganscale::controller {
namespace {

struct RunOptions {
  std::string kubeconfig;
  std::string name_space;
  std::string lease_name = kDefaultLeaseName;
  std::vector<std::string> watched;
  std::string identity;
  int workers = 2;
  int poll_seconds = 15;
  int metrics_port = 8080;
  std::string metrics_address = "0.0.0.0";
  std::string health_address = "0.0.0.0:8081";
  std::string log_format = "text";
  SourceOptions sources;
};

constexpr auto kExample =
    "\nExamples:\n"
    "  ganscale-operator run                                      # in a cluster\n"
    "  ganscale-operator run --kubeconfig ~/.kube/config --namespace ganscale-system";

std::atomic<bool> stop_asked{false};

void ask_to_stop(int) { stop_asked = true; }

std::string default_identity() {
  const std::string name = host_name();
  return (name.empty() ? "operator" : name) + "_" + std::to_string(getpid());
}

/// Returns what is wrong with the name of a namespace or a Lease. An empty namespace would mean
/// all.
std::string wrong_name(const std::string& name) {
  static const std::regex pattern("[a-z0-9]([-a-z0-9]*[a-z0-9])?");
  return std::regex_match(name, pattern) ? "" : "not a name of a-z, 0-9 and -: \"" + name + "\"";
}

ExitCode run(const RunOptions& options) {
  log::set_format(options.log_format == "json" ? log::Format::kJson : log::Format::kText);
  std::signal(SIGTERM, ask_to_stop);
  std::signal(SIGINT, ask_to_stop);
  ClusterAccess access =
      options.kubeconfig.empty() ? in_cluster_access() : read_kubeconfig(options.kubeconfig);
  OperatorSettings settings;
  settings.name_space = options.name_space.empty() ? access.name_space : options.name_space;
  settings.lease_name = options.lease_name;
  settings.watched = options.watched;
  settings.identity = options.identity.empty() ? default_identity() : options.identity;
  access.user_agent =
      std::string("ganscale-operator/") + GANSCALE_VERSION + " (" + settings.identity + ")";
  settings.connect = [access](std::chrono::seconds idle) {
    return std::make_unique<RestTransport>(access, idle);
  };
  settings.workers = options.workers;
  settings.metrics = {options.metrics_address, options.metrics_port, "--metrics-address",
                      "--metrics-port"};
  settings.health_address = options.health_address;
  log::info(
      "Starting",
      {{"version", GANSCALE_VERSION}, {"server", access.server}, {"identity", settings.identity}});
  const NodeProfiles profiles = read_profiles(options.sources);
  const WorkerSchema schema = read_schema(options.sources);
  const std::chrono::seconds poll_interval(options.poll_seconds);
  return run_operator(settings, kinds({profiles, schema, poll_interval}),
                      [] { return stop_asked.load(); });
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("run", "Run the operator");
  verb->footer(kExample);
  const auto o = std::make_shared<RunOptions>();
  verb->add_option("--kubeconfig", o->kubeconfig,
                   "Kubeconfig; default: the pod's service account. No proxy is used, whatever "
                   "HTTPS_PROXY says")
      ->type_name("FILE");
  verb->add_option("--namespace", o->name_space,
                   "The operator's own namespace; default: the pod's, or the kubeconfig's")
      ->check(wrong_name)
      ->type_name("NAME");
  verb->add_option("--lease-name", o->lease_name,
                   "Lease in that namespace, shared by the operators of which one is to lead")
      ->check(wrong_name)
      ->capture_default_str()
      ->type_name("NAME");
  verb->add_option("--watch-namespaces", o->watched,
                   "Namespaces to watch, separated by commas; default: all")
      ->delimiter(',')
      ->check(wrong_name)
      ->type_name("NAMES");
  verb->add_option("--identity", o->identity,
                   "Identity for leader election; default: host and process ID");
  verb->add_option("--workers", o->workers, "Concurrent reconciles per kind of resource")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  verb->add_option("--poll-seconds", o->poll_seconds, "Interval between polls of a running worker")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  verb->add_option("--metrics-address", o->metrics_address, "IPv4 address of /metrics")
      ->capture_default_str();
  verb->add_option("--metrics-port", o->metrics_port, "Port of /metrics; 0: any free port")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  verb->add_option("--health-address", o->health_address, "Address of /healthz and /readyz")
      ->capture_default_str();
  verb->add_option("--log-format", o->log_format, "text, or json: one object per line")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  add_source_options(*verb, o->sources);
  verb->callback([&action, o] { action = [o] { return run(*o); }; });
}

}  // namespace ganscale::controller
