#include "comm/collectives/replicate.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

namespace ganscale::comm {
namespace {

using Chunk = std::vector<at::Tensor>;

/// Groups adjacent tensors of the same dtype and device.
std::vector<Chunk> plan_chunks(const NamedTensors& state, std::int64_t chunk_bytes) {
  std::vector<Chunk> chunks;
  std::int64_t filled_bytes = 0;
  for (const auto& [name, tensor] : state) {
    if (tensor.numel() == 0) continue;
    const auto size_bytes = static_cast<std::int64_t>(tensor.nbytes());
    const bool fits = !chunks.empty() && filled_bytes + size_bytes <= chunk_bytes &&
                      chunks.back().front().scalar_type() == tensor.scalar_type() &&
                      chunks.back().front().device() == tensor.device();
    if (!fits) {
      chunks.emplace_back();
      filled_bytes = 0;
    }
    chunks.back().push_back(tensor.detach());
    filled_bytes += size_bytes;
  }
  return chunks;
}

at::Tensor flattened(const Chunk& chunk) {
  std::vector<at::Tensor> parts;
  for (const auto& tensor : chunk) parts.push_back(tensor.reshape({-1}));
  return at::cat(parts);
}

void copy_back(const at::Tensor& flat, const Chunk& chunk) {
  std::int64_t offset = 0;
  for (const auto& tensor : chunk) {
    tensor.copy_(flat.narrow(0, offset, tensor.numel()).view(tensor.sizes()));
    offset += tensor.numel();
  }
}

/// Flattens a chunk into one tensor, applies `operation` to it, and copies the result back.
template <class Operation>
void through_flat_tensor(const Chunk& chunk, Operation operation) {
  const at::NoGradGuard no_grad;
  const at::Tensor flat = flattened(chunk);
  operation(flat);
  copy_back(flat, chunk);
}

}  // namespace

void broadcast_from_rank_0(Group& group, const NamedTensors& state, std::int64_t chunk_bytes) {
  if (group.size() == 1) return;
  for (const auto& chunk : plan_chunks(state, chunk_bytes)) {
    through_flat_tensor(chunk, [&](const at::Tensor& flat) { group.broadcast(flat, 0); });
  }
}

void all_reduce_mean(Group& group, const NamedTensors& state, std::int64_t chunk_bytes) {
  if (group.size() == 1) return;
  NamedTensors floating;
  for (const auto& [name, tensor] : state) {
    if (at::isFloatingType(tensor.scalar_type())) floating.emplace(name, tensor);
  }
  for (const auto& chunk : plan_chunks(floating, chunk_bytes)) {
    through_flat_tensor(chunk, [&](const at::Tensor& flat) {
      group.all_reduce_sum(flat);
      flat.div_(group.size());
    });
  }
}

std::vector<at::Tensor> copy_state(const NamedTensors& state, std::int64_t chunk_bytes) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> flat;
  for (const auto& chunk : plan_chunks(state, chunk_bytes)) flat.push_back(flattened(chunk).cpu());
  return flat;
}

void send_state(Group& group, const NamedTensors& state, int destination,
                std::int64_t chunk_bytes) {
  for (const auto& flat : copy_state(state, chunk_bytes)) group.send_async(flat, destination);
}

void receive_state(Group& group, const NamedTensors& state, int source, std::int64_t chunk_bytes) {
  const at::NoGradGuard no_grad;
  for (const auto& chunk : plan_chunks(state, chunk_bytes)) {
    std::int64_t element_count = 0;
    for (const auto& tensor : chunk) element_count += tensor.numel();
    const at::Tensor flat = at::empty({element_count}, chunk.front().options().device(at::kCPU));
    group.receive(flat, source);
    copy_back(flat, chunk);
  }
}

}  // namespace ganscale::comm
