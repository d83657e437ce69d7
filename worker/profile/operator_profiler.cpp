#include "profile/operator_profiler.h"

#include <ATen/Context.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <chrono>
#include <cstdlib>
#include <set>

namespace ganscale::profile {
namespace {

namespace kineto = torch::autograd::profiler;

using Activities = std::set<torch::profiler::impl::ActivityType>;

Activities activities() {
  using torch::profiler::impl::ActivityType;
  Activities all = {ActivityType::CPU};
  if (at::hasCUDA()) all.insert(ActivityType::CUDA);
  return all;
}

// Kineto looks for a GPU anyway, and prints an error if there is none.
void silence_kineto() {
  constexpr const char* kNothing = "5";
  setenv("KINETO_LOG_LEVEL", kNothing, /*overwrite=*/0);
}

std::int64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

Event to_event(const kineto::KinetoEvent& from) {
  const bool on_device = from.deviceType() != c10::DeviceType::CPU;
  return {.name = from.name(),
          .begin_ns = static_cast<std::int64_t>(from.startNs()),
          .end_ns = static_cast<std::int64_t>(from.endNs()),
          .track = on_device ? static_cast<std::uint64_t>(from.deviceResourceId())
                             : from.startThreadId(),
          .on_device = on_device,
          .correlation = from.correlationId(),
          .caller = from.linkedCorrelationId()};
}

}  // namespace

OperatorProfiler::~OperatorProfiler() {
  if (is_recording()) kineto::disableProfiler();
}

void OperatorProfiler::start() {
  silence_kineto();
  const torch::profiler::impl::ProfilerConfig config(torch::profiler::impl::ProfilerState::KINETO);
  kineto::prepareProfiler(config, activities());
  kineto::enableProfiler(config, activities(),
                         {at::RecordScope::FUNCTION, at::RecordScope::USER_SCOPE});
  begin_ns_ = now_ns();
}

Recording OperatorProfiler::stop() {
  Recording recording{
      .begin_ns = begin_ns_, .end_ns = now_ns(), .thread = at::RecordFunction::currentThreadId()};
  begin_ns_ = 0;
  const auto result = kineto::disableProfiler();
  for (const auto& event : result->events()) recording.events.push_back(to_event(event));
  return recording;
}

}  // namespace ganscale::profile
