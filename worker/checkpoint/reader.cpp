#include "checkpoint/reader.h"

#include <algorithm>
#include <ranges>
#include <system_error>

#include "base/error.h"
#include "base/log.h"
#include "checkpoint/checkpoint_name.h"
#include "checkpoint/run_files.h"
#include "checkpoint/safetensors.h"
#include "files/atomic_file.h"
#include "files/input_error.h"

namespace ganscale::checkpoint {
namespace {

namespace fs = std::filesystem;

void check_size(const fs::path& file, std::int64_t size_bytes, std::int64_t expected_bytes) {
  if (size_bytes == expected_bytes) return;
  throw DataError("a file of the checkpoint has the wrong size: " + file.string() + ": " +
                  std::to_string(size_bytes) + " bytes, expected " +
                  std::to_string(expected_bytes));
}

CheckpointInfo inspect(const fs::path& folder, std::int64_t images_seen) {
  CheckpointInfo info{folder, images_seen, 0, {}, {}};
  try {
    auto manifest = read_manifest(folder);
    info.metrics = std::move(manifest.metrics);
    for (const auto& [name, digest] : manifest.files) {
      info.size_bytes += digest.size_bytes;
      check_size(folder / name, static_cast<std::int64_t>(fs::file_size(folder / name)),
                 digest.size_bytes);
    }
  } catch (const DataError& error) {
    info.defect = error.what();
  } catch (const fs::filesystem_error& error) {
    info.defect = error.what();
  }
  return info;
}

/// Throws DataError if a path is what users may take for the folder of a run.
void require_run(const fs::path& path) {
  std::string reason = why_not_a_folder(path);
  std::error_code ignored;
  if (fs::exists(path / kManifestFile, ignored)) {
    reason = "this is a checkpoint, not a run; pass it with --checkpoint, or pass the run's folder";
  }
  if (!reason.empty()) throw DataError(reason + ": " + path.string());
}

}  // namespace

Manifest read_manifest(const fs::path& checkpoint_folder) {
  const auto file = checkpoint_folder / kManifestFile;
  auto manifest = parse_manifest(files::read_file(file), file);
  if (checkpoint_name(manifest.images_seen) != path_with_name(checkpoint_folder).filename()) {
    throw DataError("the manifest belongs to another checkpoint: " + file.string() + ": " +
                    checkpoint_name(manifest.images_seen));
  }
  return manifest;
}

std::string why_not_a_folder(const fs::path& path) {
  std::error_code ignored;
  const bool is_url = path.string().find("://") != std::string::npos;
  if (!is_url && !fs::is_regular_file(path, ignored)) return "";
  return "a file or URL is not the folder of a run; make a run of it first: ganscale import --from "
         "FILE --run DIR";
}

std::vector<CheckpointInfo> list_checkpoints(const fs::path& run_folder) {
  std::vector<CheckpointInfo> result;
  try {
    for (const auto& entry : fs::directory_iterator(run_folder / run_files::kCheckpoints)) {
      const auto images_seen = images_of_checkpoint_name(entry.path().filename().string());
      if (images_seen) result.push_back(inspect(entry.path(), *images_seen));
    }
  } catch (const fs::filesystem_error& error) {
    require_run(run_folder);
    if (error.code() == std::errc::no_such_file_or_directory) return {};
    throw DataError(std::string("cannot list the checkpoints: ") + error.what());
  }
  std::ranges::sort(result, {}, &CheckpointInfo::images_seen);
  return result;
}

Manifest verify_checkpoint(const fs::path& checkpoint_folder) {
  auto manifest = read_manifest(checkpoint_folder);
  for (const auto& [name, expected] : manifest.files) {
    const auto file = checkpoint_folder / name;
    const auto found = files::digest_file(file);
    check_size(file, found.size_bytes, expected.size_bytes);
    if (found.sha256 != expected.sha256) {
      throw DataError("a file of the checkpoint has the wrong SHA-256: " + file.string() + ": " +
                      found.sha256 + ", expected " + expected.sha256);
    }
  }
  return manifest;
}

std::optional<fs::path> newest_valid_checkpoint(const fs::path& run_folder) {
  const auto checkpoints = list_checkpoints(run_folder);
  std::string reason;  // of the newest one
  bool is_known = true;
  for (const auto& info : checkpoints | std::views::reverse) {
    try {
      verify_checkpoint(info.folder);
      return info.folder;
    } catch (const DataError& error) {
      log::warning("Skipped an invalid checkpoint",
                   {{"checkpoint", info.folder}, {"reason", error.what()}});
      if (reason.empty()) reason = error.what();
      is_known &= dynamic_cast<const files::InputError*>(&error) == nullptr;
    }
  }
  if (checkpoints.empty()) return std::nullopt;
  throw DataError((is_known ? "no checkpoint of the run is valid; move them away to start over: "
                            : "no checkpoint of the run can be read: ") +
                  reason);
}

Snapshot load_checkpoint(const fs::path& checkpoint_folder) {
  auto manifest = verify_checkpoint(checkpoint_folder);
  Snapshot snapshot{
      manifest.images_seen, {}, std::move(manifest.state), std::move(manifest.metrics)};
  for (const auto& [name, digest] : manifest.files) {
    auto tensors = read_safetensors(checkpoint_folder / name).tensors;
    snapshot.files.emplace(fs::path(name).stem().string(), std::move(tensors));
  }
  return snapshot;
}

}  // namespace ganscale::checkpoint
