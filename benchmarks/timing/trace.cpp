#include "timing/trace.h"

#include <torch/csrc/autograd/profiler_kineto.h>

#include <set>

#include "timing/time_steps.h"

namespace ganscale::benchmarks {

void write_trace(c10::Device device, const std::filesystem::path& file,
                 const std::function<void()>& work) {
  namespace profiler = torch::autograd::profiler;
  const std::set<profiler::ActivityType> activities = {
      device.is_cuda() ? profiler::ActivityType::CUDA : profiler::ActivityType::CPU};
  const profiler::ProfilerConfig config(profiler::ProfilerState::KINETO);
  profiler::prepareProfiler(config, activities);
  profiler::enableProfiler(config, activities, {at::RecordScope::FUNCTION});
  work();
  wait_for(device);
  profiler::disableProfiler()->save(file.string());
}

}  // namespace ganscale::benchmarks
