#include "telemetry/registry.h"

#include <unistd.h>

#include <limits>
#include <new>
#include <set>

#include "base/error.h"
#include "base/utf8.h"
#include "telemetry/locked_memory.h"
#include "telemetry/process_usage.h"
#include "wire/names.h"

namespace ganscale::telemetry {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

Labels labels_of(const std::string& run, int rank) {
  return {{wire::label::kRun, run}, {wire::label::kRank, std::to_string(rank)}};
}

/// Appends the samples of one rank for one instrument; sets the family's type.
class Reader {
 public:
  Reader(const Instruments& from, Labels labels, const std::string& label, Family& to)
      : from_(from), labels_(std::move(labels)), label_(label), to_(to) {}

  template <class Value>
  void operator()(Value Instruments::* member) {
    read(from_.*member, labels_);
  }

 private:
  void read(const Counter& counter, const Labels& labels) {
    to_.type = Type::kCounter;
    to_.samples.push_back({labels, counter.value(), {}});
  }

  void read(const Gauge& gauge, const Labels& labels) {
    to_.type = Type::kGauge;
    if (gauge.is_set()) to_.samples.push_back({labels, gauge.value(), {}});
  }

  template <const auto& kUpperBounds>
  void read(const Histogram<kUpperBounds>& histogram, const Labels& labels) {
    to_.type = Type::kHistogram;
    Sample sample{labels, histogram.sum(), {}};
    std::uint64_t cumulative_count = 0;
    for (std::size_t bucket = 0; bucket <= kUpperBounds.size(); ++bucket) {
      const double bound = bucket < kUpperBounds.size() ? kUpperBounds[bucket]
                                                        : std::numeric_limits<double>::infinity();
      cumulative_count += histogram.count(bucket);
      sample.buckets.push_back({bound, cumulative_count});
    }
    if (cumulative_count > 0) to_.samples.push_back(std::move(sample));
  }

  template <class Value>
  void read(const Labeled<Value>& labeled, const Labels& labels) {
    labeled.for_each([&](const char* word, const Value& value) {
      Labels with_word = labels;
      with_word.emplace_back(label_, word);
      read(value, with_word);
    });
  }

  const Instruments& from_;
  const Labels labels_;
  const std::string& label_;
  Family& to_;
};

}  // namespace

Registry::Registry(const RegistryOptions& options)
    : run_(valid_utf8(options.run)),  // Prometheus refuses a scrape with other labels
      build_(options.build),
      local_size_(options.local_size),
      segment_(options.segment, sizeof(Slot) * static_cast<std::size_t>(options.local_size),
               options.local_size) {
  check(options.local_rank >= 0 && options.local_rank < options.local_size,
        "a local rank is below the local size");
  slots_ = static_cast<Slot*>(segment_.data());
  own_ = new (slots_ + options.local_rank) Slot();
  own_->process.store(getpid(), std::memory_order_relaxed);
  own_->instruments.memlock_too_small.set(is_too_small(locked_memory()) ? 1 : 0);
  // From now on other ranks may read the slot.
  own_->rank_and_one.store(options.rank + 1, std::memory_order_release);
}

std::vector<Family> Registry::collect() const {
  std::vector<Family> families;
  for (const Instrument& instrument : instrument_table()) {
    Family family{instrument.name, instrument.help, Type::kGauge, {}};
    for (int local_rank = 0; local_rank < local_size_; ++local_rank) {
      const Slot& slot = slots_[local_rank];
      const int rank = slot.rank_and_one.load(std::memory_order_acquire) - 1;
      if (rank < 0) continue;
      std::visit(Reader(slot.instruments, labels_of(run_, rank), instrument.label, family),
                 instrument.member);
    }
    if (!family.samples.empty()) families.push_back(std::move(family));
  }
  add_process_families(families);
  add_build_info(families);
  return families;
}

/// The ranks of a node run one program.
void Registry::add_build_info(std::vector<Family>& families) const {
  if (build_.empty()) return;
  Family info{wire::metric::kBuildInfo, kBuildInfoHelp, Type::kGauge, {}};
  for (int local_rank = 0; local_rank < local_size_; ++local_rank) {
    const int rank = slots_[local_rank].rank_and_one.load(std::memory_order_acquire) - 1;
    if (rank < 0) continue;
    Labels labels = labels_of(run_, rank);
    labels.insert(labels.end(), build_.begin(), build_.end());
    info.samples.push_back({std::move(labels), 1, {}});
  }
  families.push_back(std::move(info));
}

void Registry::add_process_families(std::vector<Family>& families) const {
  Family cpu{wire::metric::kCpuSecondsTotal, kCpuSecondsHelp, Type::kCounter, {}};
  Family memory{wire::metric::kResidentMemoryBytes, kResidentMemoryHelp, Type::kGauge, {}};
  std::set<int> seen;  // ranks may be threads of one process: the first's
  for (int local_rank = 0; local_rank < local_size_; ++local_rank) {
    const Slot& slot = slots_[local_rank];
    const int rank = slot.rank_and_one.load(std::memory_order_acquire) - 1;
    if (rank < 0) continue;
    const int process = slot.process.load(std::memory_order_relaxed);
    const auto usage = process_usage(process);
    if (!usage || !seen.insert(process).second) continue;
    cpu.samples.push_back({labels_of(run_, rank), usage->cpu_seconds, {}});
    memory.samples.push_back({labels_of(run_, rank), usage->resident_memory_bytes, {}});
  }
  if (cpu.samples.empty()) return;
  families.push_back(std::move(cpu));
  families.push_back(std::move(memory));
}

}  // namespace ganscale::telemetry
