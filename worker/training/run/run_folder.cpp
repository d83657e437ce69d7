#include "training/run/run_folder.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/joined.h"
#include "base/log.h"
#include "checkpoint/checkpoint_name.h"
#include "config/differences.h"
#include "config/renamed.h"
#include "data/storage/storage.h"
#include "files/atomic_file.h"
#include "files/durable_file.h"
#include "files/input_error.h"
#include "wire/names.h"

namespace ganscale::training {
namespace {

/// Returns which attempt of the operator this process is; empty if it was started by hand.
std::string own_attempt() {
  const char* attempt = std::getenv(wire::environment::kAttempt);
  return attempt == nullptr ? "" : attempt;
}

/// Returns the keys that differ between two configurations: see RunFolder::config_changes().
std::string changes_between(config::Node before, const std::string& resolved) {
  constexpr std::size_t kMostNamed = 10;
  auto changed = config::differences(config::with_new_names(std::move(before)),
                                     config::parse_yaml(resolved, "the new configuration"));
  if (changed.size() > kMostNamed) {
    const auto more = changed.size() - kMostNamed;
    changed.resize(kMostNamed);
    changed.push_back("and " + std::to_string(more) + " more");
  }
  return joined(changed);
}

[[noreturn]] void refuse(const std::filesystem::path& root, const std::error_code& error) {
  throw ConfigError("cannot write the run folder, choose another with --run: " + root.string() +
                    ": " + error.message());
}

}  // namespace

RunFolder RunFolder::part(std::filesystem::path root) const {
  RunFolder folder(std::move(root));
  folder.lock_ = lock_;
  return folder;
}

std::string RunFolder::name() const { return checkpoint::path_with_name(root_).filename(); }

files::FolderLock RunFolder::take_lock() const { return {lock_, own_attempt()}; }

void RunFolder::require_lock() const { files::require_attempt(lock_, own_attempt()); }

void RunFolder::create() const {
  data::require_local(root_, "the run folder");
  try {
    // Not both at once: std::filesystem would not tell why the status of the parent cannot be read.
    files::create_folders(root_);
    std::filesystem::create_directories(samples());
  } catch (const std::filesystem::filesystem_error& error) {
    refuse(root_, error.code());
  }
  if (access(root_.c_str(), W_OK) != 0) refuse(root_, {errno, std::generic_category()});
}

void RunFolder::require_writable() const {
  data::require_local(root_, "the run folder");
  std::error_code error;
  std::filesystem::path existing = std::filesystem::absolute(samples(), error);
  while (!std::filesystem::exists(existing, error) && existing.has_relative_path())
    existing = existing.parent_path();
  const bool is_folder = std::filesystem::is_directory(existing, error);
  if (!is_folder || access(existing.c_str(), W_OK | X_OK) != 0) {
    refuse(root_, std::make_error_code(is_folder ? std::errc::permission_denied
                                                 : std::errc::not_a_directory));
  }
}

void RunFolder::write_config(const std::string& resolved, checkpoint::OnError on_error) const {
  try {
    const std::string before = files::is_missing(config()) ? "" : files::read_file(config());
    if (before == resolved) return;
    const std::string changes =
        before.empty() ? ""
                       : changes_between(config::parse_yaml(before, config().string()), resolved);
    if (!changes.empty()) {
      log::warning("The configuration differs from the run's previous one",
                   {{"keys", changes}, {"file", config()}});
    }
  } catch (const Error& error) {
    log::warning("Cannot compare with the run's previous configuration",
                 {{"reason", error.what()}});
  }
  try {
    files::write_file_atomically(config(), resolved);
  } catch (const files::OutputError& error) {
    if (on_error == checkpoint::OnError::kStop) throw;
    log::warning("Cannot write the configuration", {{"reason", error.what()}});
  }
}

std::string RunFolder::config_changes(const std::string& resolved) const {
  if (files::is_missing(config())) return "";
  return changes_between(config::parse_yaml(files::read_file(config()), config().string()),
                         resolved);
}

std::filesystem::path RunFolder::fakes(std::int64_t images_seen) const {
  return samples() / checkpoint::run_files::sample_name(images_seen);
}

}  // namespace ganscale::training
