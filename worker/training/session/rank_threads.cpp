#include "training/session/rank_threads.h"

#include <ATen/Parallel.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <optional>
#include <vector>

#include "base/thread_rank.h"
#include "comm/backends/thread_group.h"
#include "comm/group/watchdog.h"
#include "training/session/process_context.h"

namespace ganscale::training {
namespace {

/// Makes a stream of its own current on this thread; a CPU has none.
class OwnStream {
 public:
  explicit OwnStream(at::Device device) {
    if (device.is_cpu()) return;
    c10::impl::VirtualGuardImpl streams(device.type());
    guard_.reset_stream(streams.getStreamFromGlobalPool(device));
  }

 private:
  c10::OptionalStreamGuard guard_;
};

}  // namespace

ExitCode run_on_threads(const RankThreads& threads, at::Device device,
                        const std::function<ExitCode(comm::Group&)>& body) {
  const int available = at::get_num_threads();
  const int own_threads =
      cpu_threads(threads.cpu_threads, {.allowed_cores = available, .sharing_ranks = threads.count},
                  threads.count);
  const auto watchdog = comm::make_process_watchdog(threads.timeout, /*rank=*/0);
  std::vector<std::optional<comm::Watchdog::Watch>> failures(
      static_cast<std::size_t>(threads.count));
  ExitCode code = ExitCode::kOk;
  const auto run_rank = [&](comm::Group& group) {
    const ThreadRank rank(group.rank());
    const OwnStream stream(device);
    at::set_num_threads(own_threads);
    try {
      const ExitCode own = body(group);
      if (group.rank() == 0) code = own;
    } catch (...) {
      failures[static_cast<std::size_t>(group.rank())].emplace(
          watchdog->watch("the end of the other ranks of this process"));
      throw;
    }
  };
  comm::run_ranks(threads.count, run_rank, threads.timeout);
  return code;
}

}  // namespace ganscale::training
