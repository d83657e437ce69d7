#include "checkpoint/writer.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "checkpoint/checkpoint_name.h"
#include "checkpoint/reader.h"
#include "checkpoint/retention.h"
#include "checkpoint/run_files.h"
#include "checkpoint/write_checkpoint.h"
#include "files/input_error.h"

namespace ganscale::checkpoint {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether a checkpoint is valid, by all of its bytes. Nothing, with a warning, if a defect may be
/// the storage's rather than the checkpoint's.
std::optional<bool> is_valid(const CheckpointInfo& info) {
  std::string reason = info.defect;
  try {
    verify_checkpoint(info.folder);
    if (reason.empty()) return true;
  } catch (const files::InputError& error) {
    reason = error.what();
  } catch (const DataError&) {
    return false;
  }
  log::warning("Could not read a checkpoint", {{"reason", reason}});
  return std::nullopt;
}

/// Returns a checkpoint as the retention policy sees it. Nothing if it is neither to be deleted nor
/// a reason to delete another.
///
/// verified: the names of those whose bytes need not be read again; it is added if it is valid.
std::optional<RetentionCandidate> candidate_of(const CheckpointInfo& info,
                                               const CheckpointConfig& config,
                                               std::set<std::string>& verified) {
  RetentionCandidate candidate{.name = info.folder.filename().string(),
                               .images_seen = info.images_seen};
  // With keep_last: 0, no valid one is deleted, and there may be too many to read.
  const bool is_to_be_read = config.keep_last > 0 && !verified.contains(candidate.name);
  if (is_to_be_read || !info.defect.empty()) {
    const auto valid = is_valid(info);
    if (!valid) return std::nullopt;
    candidate.valid = *valid;
    if (candidate.valid) verified.insert(candidate.name);
  }
  const auto found = info.metrics.find(config.keep_best);
  if (found != info.metrics.end()) candidate.metric = found->second;
  return candidate;
}

}  // namespace

Writer::Writer(std::filesystem::path run_folder, CheckpointConfig config,
               std::function<void()> may_write)
    : run_folder_(std::move(run_folder)),
      config_(std::move(config)),
      may_write_(std::move(may_write)) {
  remove_leftovers(run_folder_);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Writer::prepare(const Snapshot& snapshot) {
  wait();
  host_copy_.take(snapshot);
}

WritePause Writer::write(const Snapshot& snapshot) {
  const auto begin = Clock::now();
  std::unique_lock lock(mutex_);
  if (busy_) {
    log::warning("Waiting for the previous checkpoint to be written",
                 {{"images_seen", snapshot.images_seen}});
  }
  changed_.wait(lock, [&] { return !busy_; });
  throw_failure();
  lock.unlock();  // the thread does not access the host copy before busy_
  const auto copy_begin = Clock::now();
  host_copy_.take(snapshot);
  const WritePause pause{copy_begin - begin, Clock::now() - copy_begin};
  lock.lock();
  busy_ = true;
  changed_.notify_all();
  return pause;
}

bool Writer::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !busy_; });
  throw_failure();
  return status_.last_error.empty();
}

void Writer::add_metrics(std::int64_t images_seen, const std::map<std::string, double>& metrics) {
  wait();
  const auto folder = run_folder_ / run_files::kCheckpoints / checkpoint_name(images_seen);
  if (files::is_missing(folder)) return;
  try {
    may_write_();
    checkpoint::add_metrics(folder, metrics);
  } catch (const DataError& error) {
    log::warning("Could not add metrics to a checkpoint", {{"reason", error.what()}});
    return;
  }
  delete_old();
}

void Writer::throw_if_failed() {
  const std::scoped_lock lock(mutex_);
  throw_failure();
}

bool Writer::has_failed() const {
  const std::scoped_lock lock(mutex_);
  return failure_ != nullptr;
}

bool Writer::is_busy() const {
  const std::scoped_lock lock(mutex_);
  return busy_;
}

WriterStatus Writer::status() const {
  const std::scoped_lock lock(mutex_);
  return status_;
}

void Writer::throw_failure() const {
  if (failure_) std::rethrow_exception(failure_);
}

void Writer::run(const std::stop_token& stop) {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return busy_; })) return;
    }
    try {
      write_or_retry(stop);
    } catch (const DataError& error) {
      record_failure(std::current_exception(), error.what(), config_.on_error == OnError::kStop);
    } catch (const WriteAbandoned&) {
      return;
    } catch (const std::exception& error) {
      record_failure(std::current_exception(), error.what(), /*is_fatal=*/true);
    }
    const std::scoped_lock lock(mutex_);
    busy_ = false;
    changed_.notify_all();
  }
}

void Writer::write_or_retry(const std::stop_token& stop) {
  try {
    write_in_background(stop);
    return;
  } catch (const DataError& error) {
    log::warning("Retrying to write a checkpoint", {{"reason", error.what()}});
  }
  may_write_();
  delete_old();  // the disk may be full, and keep_last lower than in an earlier process
  write_in_background(stop);
}

void Writer::write_in_background(const std::stop_token& stop) {
  const auto begin = Clock::now();
  const auto& snapshot = host_copy_.get();
  may_write_();
  const auto size_bytes = write_checkpoint(run_folder_, snapshot, stop, may_write_);
  verified_.insert(checkpoint_name(snapshot.images_seen));
  const std::chrono::duration<double> duration = Clock::now() - begin;
  log::info("Wrote checkpoint", {{"checkpoint", checkpoint_name(snapshot.images_seen)},
                                 {"bytes", size_bytes},
                                 {"seconds", duration.count()}});
  {
    const std::scoped_lock lock(mutex_);
    ++status_.written_count;
    status_.last_write = duration;
    status_.last_success = std::chrono::system_clock::now();
    status_.last_images_seen = snapshot.images_seen;
    status_.last_error.clear();
  }
  delete_old();
}

void Writer::delete_old() {
  remove_leftovers(run_folder_);
  std::vector<RetentionCandidate> candidates;
  try {
    for (const auto& info : list_checkpoints(run_folder_)) {
      if (auto candidate = candidate_of(info, config_, verified_)) {
        candidates.push_back(std::move(*candidate));
      }
    }
  } catch (const DataError& error) {
    log::warning("Could not look for old checkpoints", {{"reason", error.what()}});
  }
  const auto doomed = checkpoints_to_delete(
      std::move(candidates),
      {config_.keep_last, better_direction(config_.keep_best), config_.keep_best_count});
  for (const auto& name : doomed) {
    try {
      delete_checkpoint(run_folder_ / run_files::kCheckpoints / name);
    } catch (const DataError& error) {
      log::warning("Could not delete an old checkpoint", {{"reason", error.what()}});
    }
  }
}

void Writer::record_failure(const std::exception_ptr& failure, const std::string& reason,
                            bool is_fatal) {
  log::error("Could not write a checkpoint; earlier ones are kept",
             {{"checkpoint", checkpoint_name(host_copy_.get().images_seen)}, {"reason", reason}});
  const std::scoped_lock lock(mutex_);
  ++status_.failed_count;
  status_.last_error = reason;
  if (is_fatal) failure_ = failure;
}

}  // namespace ganscale::checkpoint
