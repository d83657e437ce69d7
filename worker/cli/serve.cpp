#include <sys/random.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "cli/add_verb.h"
#include "cli/options/generator_options.h"
#include "cli/options/run_argument.h"
#include "cli/serve/live_run.h"
#include "cli/serve/page_server.h"
#include "cli/serve/page_url.h"
#include "cli/verbs.h"
#include "files/hex.h"
#include "training/loop/stop_signal.h"

namespace ganscale::cli {
namespace {

constexpr auto kServeExample =
    "\nExample:\n"
    "  ganscale serve runs/r1             # prints the address to open in a browser\n\n"
    "The report, refreshed while the run trains, with sliders for the images of its newest\n"
    "checkpoint. Ctrl-C ends it.";

struct ServeOptions {
  std::filesystem::path run;
  PageServerConfig server;
  std::string device = "cpu";
};

std::string new_token() {
  std::string bytes(16, '\0');
  check(getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
        "getrandom() gave too few bytes");
  return files::hex(bytes);
}

ExitCode serve(const ServeOptions& options) {
  constexpr std::chrono::milliseconds kLookEvery{10};
  const training::StopSignal stop;
  LiveRun run(options.run, open_device(options.device));
  PageServerConfig config = options.server;
  if (config.token_file.empty()) config.token = new_token();
  PageServer server(config);
  log::info(is_on_all_interfaces(config) ? "Serving the run on all interfaces; Ctrl-C ends it"
                                         : "Serving the run; Ctrl-C ends it",
            {{"run", options.run}, {"url", page_url(config, server.port())}});
  while (!stop.received()) {
    if (const auto exchange = server.next_request()) {
      exchange->reply(run.answer(exchange->request));
    } else {
      std::this_thread::sleep_for(kLookEvery);
    }
  }
  return ExitCode::kOk;
}

}  // namespace

void add_serve(CLI::App& app, Action& action) {
  const auto [verb, options] = add_verb(
      app, action, {"serve", "Serve a live page of a run, with images on request", kServeExample},
      serve);
  add_run_argument(verb, options.run);
  verb.add_option("--address", options.server.address,
                  "IPv4 address to listen on; 0.0.0.0: all interfaces")
      ->capture_default_str();
  verb.add_option("--port", options.server.port, "port to listen on; 0: any free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  verb.add_option("--token-file", options.server.token_file,
                  "file with the token of all requests; by default a new one, in the printed "
                  "address");
  auto* certificate =
      verb.add_option("--tls-certificate", options.server.tls_certificate,
                      "PEM file with a certificate chain, for HTTPS; read for each client");
  auto* key =
      verb.add_option("--tls-key", options.server.tls_key, "PEM file with the certificate's key");
  certificate->needs(key);
  key->needs(certificate);
  add_device_option(verb, options.device);
}

}  // namespace ganscale::cli
