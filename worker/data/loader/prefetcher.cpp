#include "data/loader/prefetcher.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "data/sources/read_image.h"

namespace ganscale::data {
namespace {

constexpr std::size_t kWindowRecords = 256;
constexpr int kWindowBatches = 4;

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

int core_count() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

// Returns the number of batches that fit into the memory limit.
std::int64_t batches_in_memory(const PrefetchConfig& config, std::int64_t batch_bytes) {
  const std::int64_t batches = config.memory_limit_bytes / batch_bytes;
  if (batches < 1) {
    throw ConfigError(
        "data.prefetch.memory_limit holds no batch: " + std::to_string(config.memory_limit_bytes) +
        " bytes, a batch has " + std::to_string(batch_bytes));
  }
  return batches;
}

// Returns the minimum, which is also the start, and the maximum. Memory for one batch is reserved
// for the buffer that the consumer returns.
std::pair<PrefetchLimits, PrefetchLimits> limit_range(const PrefetchConfig& config,
                                                      std::int64_t batches_in_memory) {
  constexpr int kMostBatches = 64;
  const auto room = static_cast<int>(
      std::clamp<std::int64_t>(batches_in_memory - 1, 1, std::max(config.batches, kMostBatches)));
  PrefetchLimits least{config.reader_threads, std::min(config.batches, room)};
  PrefetchLimits most{config.reader_threads, config.congestion_aware ? room : least.depth};
  if (config.reader_threads == 0) {
    least.threads = std::min(2, core_count());
    most.threads = config.congestion_aware ? 4 * core_count() : least.threads;
  }
  return {least, most};
}

void mirror_rows(std::span<std::uint8_t> chw, int width) {
  for (auto row = chw.begin(); row != chw.end(); row += width) std::reverse(row, row + width);
}

}  // namespace

Prefetcher::Prefetcher(const Source& source, ShardPlan plan, DecodePolicy policy,
                       LoaderOptions options)
    : source_(source),
      plan_(std::move(plan)),
      policy_(policy),
      options_(std::move(options)),
      image_bytes_(std::int64_t{policy.channels} * policy.resolution * policy.resolution),
      buffers_(
          {options_.share.batch_per_rank, policy.channels, policy.resolution, policy.resolution},
          options_.pin_memory,
          options_.prefetch.memory_limit_bytes / 2 >= image_bytes_ * options_.share.batch_per_rank),
      opening_position_(options_.first_position),
      next_position_(options_.first_position) {
  check(options_.share.batch_per_rank > 0, "a batch has at least one image");
  if (plan_.record_count() < options_.share.global_batch()) {
    throw DataError("fewer records than one batch: " + std::to_string(plan_.record_count()) +
                    ", batch " + std::to_string(options_.share.global_batch()));
  }
  std::tie(least_, most_) = limit_range(
      options_.prefetch,
      batches_in_memory(options_.prefetch, image_bytes_ * options_.share.batch_per_rank));
  limits_ = least_;
  const std::scoped_lock lock(mutex_);
  start_threads();
}

Prefetcher::~Prefetcher() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (auto& thread : threads_) thread.join();
}

int Prefetcher::depth() const {
  const std::scoped_lock lock(mutex_);
  return limits_.depth;
}

int Prefetcher::reader_threads() const {
  const std::scoped_lock lock(mutex_);
  return limits_.threads;
}

Batch Prefetcher::next() {
  std::unique_lock lock(mutex_);
  buffers_.recycle();
  const auto start = Clock::now();
  ready_.wait(lock, [&] { return !slots_.empty() && slots_.front()->remaining == 0; });
  const double waited = seconds(Clock::now() - start);
  wait_seconds_.store(wait_seconds() + waited, std::memory_order_relaxed);
  if (slots_.front()->error) std::rethrow_exception(slots_.front()->error);

  Batch batch = std::move(slots_.front()->batch);
  slots_.pop_front();
  next_position_ += options_.share.global_batch();
  batch.images = buffers_.lend(std::move(batch.images));
  if (options_.prefetch.congestion_aware) adapt(waited);
  lock.unlock();
  work_.notify_all();
  return batch;
}

// Adapts threads and depth to the latest window of batches.
void Prefetcher::adapt(double waited_seconds) {
  const auto now = Clock::now();
  window_stall_seconds_ += waited_seconds;
  if (++window_batches_ > 0 && window_batches_ < kWindowBatches) return;
  if (window_batches_ > 0) {
    const std::vector<float> latencies(latencies_seconds_.begin(), latencies_seconds_.end());
    const int batch = options_.share.batch_per_rank;
    limits_ = prefetch_depth({.latencies_seconds = latencies,
                              .elapsed_seconds = seconds(now - window_start_),
                              .stall_seconds = window_stall_seconds_,
                              .records_delivered = std::int64_t{window_batches_} * batch,
                              .records_per_batch = batch},
                             limits_, least_, most_);
    start_threads();
  }
  window_start_ = now;
  window_batches_ = 0;
  window_stall_seconds_ = 0;
}

void Prefetcher::end_finished_threads() {
  for (const auto id : finished_threads_) {
    const auto thread = std::find_if(threads_.begin(), threads_.end(),
                                     [&](const auto& other) { return other.get_id() == id; });
    thread->join();
    threads_.erase(thread);
  }
  finished_threads_.clear();
}

void Prefetcher::start_threads() {
  end_finished_threads();
  try {
    while (running_threads_ < limits_.threads) {
      threads_.emplace_back([this] { run_reader(); });
      ++running_threads_;
    }
  } catch (const std::system_error&) {  // the system is out of threads
    if (running_threads_ == 0) throw;
    limits_.threads = running_threads_;
  }
}

void Prefetcher::run_reader() {
  Record record;
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [&] { return stopping_ || running_threads_ > limits_.threads || has_work(); });
    if (stopping_ || running_threads_ > limits_.threads) break;
    const auto [slot, image] = claim();
    if (slot == nullptr) continue;
    lock.unlock();
    const auto start = Clock::now();
    std::exception_ptr error;
    try {
      fill(*slot, image, record);
    } catch (...) {
      error = std::current_exception();
    }
    const auto latency_seconds = static_cast<float>(seconds(Clock::now() - start));
    lock.lock();
    finish(*slot, error, image, latency_seconds);
  }
  --running_threads_;
  finished_threads_.push_back(std::this_thread::get_id());
}

bool Prefetcher::has_work() const {
  const bool unclaimed = !slots_.empty() && slots_.back()->claimed < options_.share.batch_per_rank;
  return unclaimed || static_cast<int>(slots_.size()) < limits_.depth;
}

// Returns the next unassigned record of the plan, or nothing if there is no memory.
std::pair<Prefetcher::Slot*, int> Prefetcher::claim() {
  if (slots_.empty() || slots_.back()->claimed == options_.share.batch_per_rank) open_slot();
  Slot& slot = *slots_.back();
  if (slot.remaining == 0) return {nullptr, 0};
  return {&slot, slot.claimed++};
}

void Prefetcher::open_slot() {
  const int batch = options_.share.batch_per_rank;
  auto slot = std::make_unique<Slot>();
  slot->first_position = opening_position_;
  slot->remaining = batch;
  try {
    slot->batch.images = buffers_.take();
    slot->pixels = slot->batch.images.data_ptr<std::uint8_t>();
    if (options_.label_count > 0) {
      slot->batch.labels =
          at::empty({batch}, at::TensorOptions(at::kLong).pinned_memory(options_.pin_memory));
      slot->labels = slot->batch.labels.data_ptr<std::int64_t>();
    }
  } catch (...) {  // out of memory: next() throws it
    slot->error = std::current_exception();
    slot->claimed = batch;
    slot->remaining = 0;
    ready_.notify_all();
  }
  opening_position_ += options_.share.global_batch();
  slots_.push_back(std::move(slot));
}

// Reads a record into its slot, without the lock: no other thread accesses that part.
void Prefetcher::fill(Slot& slot, int image, Record& record) const {
  const std::int64_t position = options_.share.position(slot.first_position, image);
  const std::int64_t index = plan_.record_at(position);
  const std::span<std::uint8_t> chw(slot.pixels + image * image_bytes_,
                                    static_cast<std::size_t>(image_bytes_));
  read_into(source_, index, policy_, record, chw);
  if (options_.mirror && plan_.mirrored(position)) mirror_rows(chw, policy_.resolution);
  if (slot.labels == nullptr) return;
  if (record.label < 0 || record.label >= options_.label_count) {
    throw DataError("label out of range: " + std::to_string(record.label) + ", labels " +
                    std::to_string(options_.label_count) + ": " + source_.describe(index));
  }
  slot.labels[image] = record.label;
}

void Prefetcher::finish(Slot& slot, std::exception_ptr error, int image, float latency_seconds) {
  latencies_seconds_.push_back(latency_seconds);
  if (latencies_seconds_.size() > kWindowRecords) latencies_seconds_.pop_front();
  if (error && (!slot.error || image < slot.failed_record)) {
    slot.error = std::move(error);
    slot.failed_record = image;
  }
  if (--slot.remaining == 0) ready_.notify_all();
}

Batch to_model_input(const Batch& batch, at::Device device, at::ScalarType dtype) {
  check(batch.images.scalar_type() == at::kByte, "images are uint8 until to_model_input()");
  Batch input;
  input.images = batch.images.to(device, /*non_blocking=*/true).to(at::kFloat);
  input.images.div_(127.5).sub_(1);
  input.images = input.images.to(dtype);
  if (batch.labels.defined()) input.labels = batch.labels.to(device, /*non_blocking=*/true);
  return input;
}

}  // namespace ganscale::data
