// What repeated_work_cuda.cpp defines, for a build without CUDA.
#include "base/error.h"
#include "device/repeated_work.h"

namespace ganscale::device {

struct RepeatedWork::Graph {};

RepeatedWork::RepeatedWork(c10::Device device, std::function<void()> work)
    : work_(std::move(work)) {
  check(device.is_cpu(), "a build without CUDA repeats work on the CPU");
}

RepeatedWork::~RepeatedWork() = default;

void RepeatedWork::run() { work_(); }

}  // namespace ganscale::device
