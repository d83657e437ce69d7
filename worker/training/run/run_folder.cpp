#include "training/run/run_folder.h"

#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "base/error.h"
#include "base/log.h"
#include "files/atomic_file.h"
#include "report/page/run_summary.h"
#include "wire/names.h"

namespace ganscale::training {
namespace {

/// Returns which attempt of the operator this process is; empty where it was started by hand.
std::string own_attempt() {
  const char* attempt = std::getenv(wire::environment::kAttempt);
  return attempt == nullptr ? "" : attempt;
}

}  // namespace

RunFolder RunFolder::part(std::filesystem::path root) const {
  RunFolder folder(std::move(root));
  folder.lock_ = lock_;
  return folder;
}

files::FolderLock RunFolder::take_lock() const { return {lock_, own_attempt()}; }

void RunFolder::require_lock() const { files::require_attempt(lock_, own_attempt()); }

void RunFolder::create() const {
  std::error_code error;
  std::filesystem::create_directories(samples(), error);
  if (error || access(root_.c_str(), W_OK) != 0) {
    throw ConfigError("cannot write the run folder, choose another with --run: " + root_.string() +
                      (error ? ": " + error.message() : std::string()));
  }
}

void RunFolder::write_config(const std::string& resolved, checkpoint::OnError on_error) const {
  std::error_code ignored;
  if (std::filesystem::exists(config(), ignored)) {
    if (files::read_file(config()) == resolved) return;
    log::warning("The configuration differs from that of the run so far", {{"file", config()}});
  }
  try {
    files::write_file_atomically(config(), resolved);
  } catch (const files::OutputError& error) {
    if (on_error == checkpoint::OnError::kStop) throw;
    log::warning("Cannot write the configuration", {{"reason", error.what()}});
  }
}

std::filesystem::path RunFolder::fakes(std::int64_t images_seen) const {
  return samples() / report::sample_name(images_seen);
}

}  // namespace ganscale::training
