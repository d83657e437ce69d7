#include "data/tools/parallel_for.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ganscale::data {

void parallel_for(std::int64_t count, int threads,
                  const std::function<void(int thread, std::int64_t index)>& work) {
  std::atomic<std::int64_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto run = [&](int thread) {
    try {
      for (std::int64_t index = next++; index < count; index = next++) work(thread, index);
    } catch (...) {
      next = count;
      const std::scoped_lock lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (int thread = 1; thread < threads; ++thread) helpers.emplace_back(run, thread);
    run(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ganscale::data
