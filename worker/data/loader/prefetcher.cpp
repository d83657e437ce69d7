#include "data/loader/prefetcher.h"

#include <ATen/ops/empty.h>
#include <ATen/record_function.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "data/loader/prefetch_range.h"
#include "data/sources/read_image.h"
#include "device/cpu_quota.h"
#include "profile/scopes.h"

namespace ganscale::data {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

double seconds_now() { return Seconds(Clock::now().time_since_epoch()).count(); }

Clock::time_point time_at(double seconds) {
  return Clock::time_point(std::chrono::duration_cast<Clock::duration>(Seconds(seconds)));
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
      image_bytes_(policy.channels * policy.resolution.pixels()),
      meter_(prefetch_range(options_.prefetch, image_bytes_, options_.share.batch_per_rank,
                            device::container_cores()),
             options_.share.batch_per_rank, seconds_now()),
      limits_(meter_.state().limits),
      buffers_(
          {options_.share.batch_per_rank, policy.channels, policy.resolution.height,
           policy.resolution.width},
          options_.device.is_cuda(),
          options_.prefetch.memory_limit_bytes / 2 >= image_bytes_ * options_.share.batch_per_rank),
      opening_position_(options_.first_position),
      next_position_(options_.first_position) {
  if (plan_.record_count() < options_.share.global_batch()) {
    throw DataError("fewer records than one batch: " + std::to_string(plan_.record_count()) +
                    ", batch " + std::to_string(options_.share.global_batch()));
  }
  const std::scoped_lock lock(mutex_);
  start_readers();
}

Prefetcher::~Prefetcher() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (Reader& reader : readers_) reader.thread.join();
}

LoaderReadings Prefetcher::readings() const {
  const std::scoped_lock lock(mutex_);
  const PrefetchState& state = meter_.state();
  return {.wait_seconds = wait_seconds_,
          .depth = limits_.depth,
          .reader_threads = limits_.threads,
          .batches_bytes = std::ssize(slots_) * options_.share.batch_per_rank * image_bytes_,
          .read_median_seconds = meter_.reads().median,
          .read_tail_seconds = meter_.reads().tail,
          .calm_tail_seconds = state.calm_tail,
          .congested = state.congested,
          .congestions = state.congestions,
          .source = source_.counts()};
}

Batch Prefetcher::next() {
  std::unique_lock lock(mutex_);
  buffers_.recycle();
  wait_for_first_slot(lock);
  if (slots_.front()->error) std::rethrow_exception(slots_.front()->error);

  Batch batch = std::move(slots_.front()->batch);
  slots_.pop_front();
  next_position_ += options_.share.global_batch();
  batch.images = buffers_.lend(std::move(batch.images));
  const double now = seconds_now();
  meter_.add_batch(now);
  adapt(now);
  lock.unlock();
  work_.notify_all();
  return batch;
}

// Waits until the next batch is filled. If it is late, more readers may start.
void Prefetcher::wait_for_first_slot(std::unique_lock<std::mutex>& lock) {
  RECORD_USER_SCOPE(profile::kDataWait);
  const auto is_ready = [&] { return !slots_.empty() && slots_.front()->remaining == 0; };
  double since = seconds_now();
  bool ready = false;
  while (!ready) {
    ready = ready_.wait_until(lock, time_at(meter_.latest_end()), is_ready);
    const double now = seconds_now();
    meter_.add_wait(now - since);
    wait_seconds_ += now - since;
    since = now;
    if (!ready) adapt(now);
  }
}

// Adapts threads and depth if an interval of measurement is over.
void Prefetcher::adapt(double now) {
  if (!meter_.is_over(now)) return;
  std::vector<float> ages;
  for (const Reader& reader : readers_) {
    const double since = reader.reading_since.load(std::memory_order_relaxed);
    const double age = now - since;
    if (since != kNotReading && age > meter_.state().calm_tail) {
      ages.push_back(static_cast<float>(age));
    }
  }
  meter_.end_interval(now, ages);
  limits_ = meter_.state().limits;
  start_readers();
  work_.notify_all();
}

// Joins the readers that have ended, and starts those that are missing.
void Prefetcher::start_readers() {
  std::erase_if(readers_, [](Reader& reader) {
    if (reader.has_ended) reader.thread.join();
    return reader.has_ended;
  });
  while (running_readers_ < limits_.threads) {
    Reader& reader = readers_.emplace_back();
    try {
      reader.thread = std::thread([this, &reader] { run_reader(reader); });
    } catch (const std::system_error&) {  // the system is out of threads
      readers_.pop_back();
      if (running_readers_ == 0) throw;
      limits_.threads = running_readers_;
      return;
    }
    ++running_readers_;
  }
}

void Prefetcher::run_reader(Reader& reader) {
  Record record;
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [&] { return stopping_ || running_readers_ > limits_.threads || has_work(); });
    if (stopping_ || running_readers_ > limits_.threads) break;
    const auto [slot, image] = claim();
    if (slot == nullptr) continue;
    lock.unlock();
    const Outcome outcome = read(*slot, image, record, reader.reading_since);
    lock.lock();
    finish(*slot, image, outcome);
  }
  --running_readers_;
  reader.has_ended = true;
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
    // The allocator of pinned memory calls CUDA, which would open a context on the current device:
    // on this thread the first GPU, which may belong to another rank.
    const c10::DeviceGuard current(options_.device);
    slot->batch.images = buffers_.take();
    slot->pixels = slot->batch.images.data_ptr<std::uint8_t>();
    if (options_.label_count > 0) {
      slot->batch.labels =
          at::empty({batch}, at::TensorOptions(at::kLong).pinned_memory(options_.device.is_cuda()));
      slot->labels = slot->batch.labels.data_ptr<std::int64_t>();
    }
  } catch (...) {  // no memory, or a failed device: next() throws it
    slot->error = std::current_exception();
    slot->claimed = batch;
    slot->remaining = 0;
    ready_.notify_all();
  }
  opening_position_ += options_.share.global_batch();
  slots_.push_back(std::move(slot));
}

// Reads a record into its slot, without the lock: no other thread accesses that part.
Prefetcher::Outcome Prefetcher::read(Slot& slot, int image, Record& record,
                                     std::atomic<double>& reading_since) const {
  const std::int64_t position = options_.share.position(slot.first_position, image);
  const std::int64_t index = plan_.record_at(position, options_.share);
  const double start = seconds_now();
  Outcome outcome;
  reading_since.store(start, std::memory_order_relaxed);
  const auto end_reading = [&] {
    reading_since.store(kNotReading, std::memory_order_relaxed);
    outcome.read_seconds = seconds_now() - start;
  };
  try {
    source_.read(index, record);
    end_reading();
    fill(slot, image, index, record);
  } catch (...) {
    outcome.error = std::current_exception();
    if (reading_since.load(std::memory_order_relaxed) != kNotReading) end_reading();
  }
  outcome.busy_seconds = seconds_now() - start;
  return outcome;
}

void Prefetcher::fill(Slot& slot, int image, std::int64_t index, const Record& record) const {
  const std::span<std::uint8_t> chw(slot.pixels + image * image_bytes_,
                                    static_cast<std::size_t>(image_bytes_));
  decode_read(source_, index, policy_, record, chw);
  const std::int64_t position = options_.share.position(slot.first_position, image);
  if (options_.mirror && plan_.mirrored(position)) mirror_rows(chw, policy_.resolution.width);
  if (slot.labels == nullptr) return;
  require_label(record.label, options_.label_count, source_, index);
  slot.labels[image] = record.label;
}

void Prefetcher::finish(Slot& slot, int image, const Outcome& outcome) {
  meter_.add_read(outcome.read_seconds, outcome.busy_seconds);
  if (outcome.error && (!slot.error || image < slot.failed_record)) {
    slot.error = outcome.error;
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
