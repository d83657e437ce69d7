#include "cli/serve/newest_generator.h"

#include <ranges>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "checkpoint/reader.h"
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

bool NewestGenerator::load(const std::filesystem::path& checkpoint) {
  std::string reason;
  try {
    auto trained = training::load_generator(checkpoint);
    trained.generator->to(device_);
    loaded_ = std::move(trained);
    return true;
  } catch (const DataError& error) {
    reason = error.what();
  } catch (const std::filesystem::filesystem_error& error) {
    reason = error.what();
  }
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
    const auto known = unreadable_.find(checkpoint);
    if (known != unreadable_.end() && known->second == written) continue;
    if (load(checkpoint)) {
      written_ = written;
      break;
    }
    unreadable_[checkpoint] = written;
  }
  return loaded_ ? &*loaded_ : nullptr;
}

}  // namespace ganscale::cli
