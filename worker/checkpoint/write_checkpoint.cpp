#include "checkpoint/write_checkpoint.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/log.h"
#include "checkpoint/checkpoint_name.h"
#include "checkpoint/manifest.h"
#include "checkpoint/reader.h"
#include "checkpoint/run_files.h"
#include "checkpoint/safetensors.h"
#include "files/durable_file.h"

namespace ganscale::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryPrefix = ".tmp-";

fs::path temporary_twin(const fs::path& folder) {
  return folder.parent_path() / (std::string(kTemporaryPrefix) + folder.filename().string());
}

files::FileDigest write_tensors(const fs::path& file, const NamedTensors& tensors,
                                const std::stop_token& stop) {
  constexpr std::size_t kPieceBytes = 4 << 20;
  files::DurableFile output(file);
  const auto write_pieces = [&](std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      if (stop.stop_requested()) throw WriteAbandoned{};
      const auto piece = bytes.first(std::min(bytes.size(), kPieceBytes));
      output.write(piece);
      bytes = bytes.subspan(piece.size());
    }
  };
  write_safetensors(write_pieces, tensors, {{"format", "pt"}});
  return output.finish();
}

void write_manifest(const fs::path& file, const Manifest& manifest) {
  const auto text = format_manifest(manifest);
  files::DurableFile output(file);
  output.write(std::as_bytes(std::span(text)));
  output.finish();
}

/// Writes all files of the snapshot, the manifest last, and returns the tensors' bytes.
std::int64_t write_files(const fs::path& folder, const Snapshot& snapshot,
                         const std::stop_token& stop) {
  Manifest manifest{snapshot.images_seen, snapshot.metrics, {}, snapshot.state};
  for (const auto& [name, tensors] : snapshot.files) {
    const auto file_name = name + ".safetensors";
    manifest.files.emplace(file_name, write_tensors(folder / file_name, tensors, stop));
  }
  write_manifest(folder / kManifestFile, manifest);
  files::sync_folder(folder);
  return total_size_bytes(manifest);
}

/// Gives a complete folder the name of a checkpoint, which may be taken.
void take_name(const fs::path& temporary, const fs::path& folder) {
  if (!fs::exists(folder)) return files::rename_durably(temporary, folder);
  log::info("Replacing a checkpoint of the same name", {{"checkpoint", folder}});
  if (files::exchange_durably(temporary, folder)) {
    std::error_code ignored;  // remove_leftovers() tries again
    fs::remove_all(temporary, ignored);
    return;
  }
  delete_checkpoint(folder);
  files::rename_durably(temporary, folder);
}

std::int64_t write_folder(const fs::path& folder, const Snapshot& snapshot,
                          const std::stop_token& stop, const std::function<void()>& may_write) {
  const auto temporary = temporary_twin(folder);
  fs::remove_all(temporary);
  fs::create_directory(temporary);
  const auto total_bytes = write_files(temporary, snapshot, stop);
  may_write();
  take_name(temporary, folder);
  return total_bytes;
}

}  // namespace

std::int64_t write_checkpoint(const fs::path& run_folder, const Snapshot& snapshot,
                              const std::stop_token& stop, const std::function<void()>& may_write) {
  const auto folder = run_folder / run_files::kCheckpoints / checkpoint_name(snapshot.images_seen);
  try {
    fs::create_directories(folder.parent_path());
    files::sync_folder(run_folder);
    return write_folder(folder, snapshot, stop, may_write);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(temporary_twin(folder), ignored);
    try {
      throw;
    } catch (const fs::filesystem_error& error) {
      throw DataError("cannot write the checkpoint: " + folder.string() + ": " +
                      error.code().message());
    }
  }
}

void add_metrics(const fs::path& checkpoint_folder, const std::map<std::string, double>& metrics) {
  Manifest manifest = read_manifest(checkpoint_folder);
  for (const auto& [name, value] : metrics) {
    if (std::isfinite(value)) manifest.metrics[name] = value;  // JSON has only finite numbers
  }
  auto temporary = temporary_twin(checkpoint_folder);
  temporary += "-manifest";
  try {
    write_manifest(temporary, manifest);
    files::rename_durably(temporary, checkpoint_folder / kManifestFile);
  } catch (...) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
}

void delete_checkpoint(const fs::path& checkpoint_folder) {
  auto doomed = temporary_twin(checkpoint_folder);
  doomed += "-deleted";
  try {
    fs::remove_all(doomed);
    fs::rename(checkpoint_folder, doomed);
    fs::remove_all(doomed);
  } catch (const fs::filesystem_error& error) {
    throw DataError("cannot delete the checkpoint: " + checkpoint_folder.string() + ": " +
                    error.code().message());
  }
}

void remove_leftovers(const fs::path& run_folder) {
  std::error_code error;
  fs::directory_iterator entry(run_folder / run_files::kCheckpoints, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(kTemporaryPrefix)) continue;
    std::error_code reason;
    fs::remove_all(entry->path(), reason);
    if (reason) {
      log::warning("Could not remove what was left of a checkpoint",
                   {{"path", entry->path()}, {"reason", reason.message()}});
    } else {
      log::info("Removed what was left of a checkpoint", {{"path", entry->path()}});
    }
  }
}

}  // namespace ganscale::checkpoint
