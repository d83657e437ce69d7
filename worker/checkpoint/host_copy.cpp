#include "checkpoint/host_copy.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

namespace ganscale::checkpoint {
namespace {

bool fits(const at::Tensor& buffer, const at::Tensor& tensor) {
  return buffer.scalar_type() == tensor.scalar_type() && buffer.sizes() == tensor.sizes() &&
         buffer.is_pinned() == tensor.is_cuda();
}

at::Tensor new_buffer(const at::Tensor& tensor) {
  return at::empty(tensor.sizes(),
                   at::TensorOptions().dtype(tensor.scalar_type()).pinned_memory(tensor.is_cuda()));
}

/// One tensor that is copied by memcpy.
struct PlainCopy {
  void* target;
  const void* source;
  std::size_t size_bytes;
};

/// Copies with a few threads that share the work and meet once at the end.
///
/// Tensor::copy_() would have all threads of the pool meet at each tensor: with other programs on
/// the cores, that took 15 times as long as one thread alone.
void copy_plain(const std::vector<PlainCopy>& copies) {
  const unsigned thread_count = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (auto i = next++; i < copies.size(); i = next++) {
      std::memcpy(copies[i].target, copies[i].source, copies[i].size_bytes);
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 1; i < thread_count; ++i) threads.emplace_back(work);
  work();
}

/// Makes `buffers` fit the tensors and copies those that need more than a memcpy; adds the others
/// to `plain`.
void copy_tensors(NamedTensors& buffers, const NamedTensors& tensors,
                  std::vector<PlainCopy>& plain) {
  std::erase_if(buffers, [&](const auto& buffer) { return !tensors.contains(buffer.first); });
  for (const auto& [name, tensor] : tensors) {
    auto& buffer = buffers[name];
    if (!buffer.defined() || !fits(buffer, tensor)) buffer = new_buffer(tensor);
    if (tensor.is_cpu() && tensor.is_contiguous()) {
      if (tensor.nbytes() == 0) continue;
      plain.push_back({buffer.mutable_data_ptr(), tensor.const_data_ptr(), tensor.nbytes()});
    } else {
      buffer.copy_(tensor);
    }
  }
}

}  // namespace

void HostCopy::take(const Snapshot& snapshot) {
  const at::NoGradGuard no_grad;
  copy_.images_seen = snapshot.images_seen;
  copy_.state = snapshot.state;
  copy_.metrics = snapshot.metrics;
  std::erase_if(copy_.files,
                [&](const auto& file) { return !snapshot.files.contains(file.first); });
  std::vector<PlainCopy> plain;
  for (const auto& [file, tensors] : snapshot.files) {
    copy_tensors(copy_.files[file], tensors, plain);
  }
  copy_plain(plain);
}

}  // namespace ganscale::checkpoint
