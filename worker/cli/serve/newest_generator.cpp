#include "cli/serve/newest_generator.h"

#include <ranges>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "checkpoint/reader.h"
#include "files/input_error.h"
#include "training/run/run_folder.h"

namespace ganscale::cli {
namespace {

/// Returns the checkpoints from which a generator can be loaded, the preferred one first.
std::vector<std::filesystem::path> candidates(const std::filesystem::path& run) {
  const auto bundle = training::RunFolder(run).bundle();
  if (std::filesystem::exists(bundle)) return {bundle};
  std::vector<std::filesystem::path> folders;
  for (const auto& info : checkpoint::list_checkpoints(run) | std::views::reverse) {
    if (info.defect.empty()) folders.push_back(info.folder);
  }
  return folders;
}

}  // namespace

bool NewestGenerator::load(const std::filesystem::path& checkpoint, Time written) {
  const auto known = failures_.find(checkpoint);
  const bool is_known = known != failures_.end() && known->second.written == written;
  if (is_known && !known->second.may_pass) return false;
  std::string reason;
  bool may_pass = true;
  try {
    auto trained = training::load_generator(checkpoint);
    trained.generator->to(device_);
    loaded_ = std::move(trained);
    written_ = written;
    return true;
  } catch (const DataError& error) {
    reason = error.what();
    may_pass = dynamic_cast<const files::InputError*>(&error) != nullptr;
  } catch (const std::filesystem::filesystem_error& error) {
    reason = error.what();
  }
  failures_[checkpoint] = {.written = written, .may_pass = may_pass};
  if (!is_known)
    log::warning("Skipped a checkpoint that can't be read",
                 {{"checkpoint", checkpoint}, {"reason", reason}});
  return false;
}

const training::TrainedGenerator* NewestGenerator::refresh() {
  for (const auto& checkpoint : candidates(run_)) {
    std::error_code gone;
    const Time written = std::filesystem::last_write_time(checkpoint, gone);
    if (gone) continue;
    if (loaded_ && loaded_->checkpoint == checkpoint && written_ == written) break;
    if (load(checkpoint, written)) break;
  }
  return loaded_ ? &*loaded_ : nullptr;
}

}  // namespace ganscale::cli
