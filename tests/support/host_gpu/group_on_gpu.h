#pragma once

#include <memory>
#include <utility>

#include "comm/group/group.h"
#include "support/host_gpu/gpu_tensors.h"

namespace ganscale::host_gpu {

/// A group that shows another one the tensors of the CPU in collectives as tensors of a GPU. Messages
/// stay on the CPU, as those of training do.
class GroupOnGpu : public comm::Group {
 public:
  /// group: borrowed.
  GroupOnGpu(comm::Group& group, at::Device gpu) : group_(group), gpu_(gpu) {}
  GroupOnGpu(std::unique_ptr<comm::Group> group, at::Device gpu)
      : owned_(std::move(group)), group_(*owned_), gpu_(gpu) {}

  int rank() const override { return group_.rank(); }
  int size() const override { return group_.size(); }
  std::string_view backend() const override { return group_.backend(); }
  comm::AllReduceCost all_reduce_cost() const override { return group_.all_reduce_cost(); }
  void all_reduce_async(const at::Tensor& data) override {
    group_.all_reduce_async(on_gpu(data, gpu_));
  }
  void wait() override { group_.wait(); }
  void finish() override { group_.finish(); }
  void watch_stream() override { group_.watch_stream(); }
  void barrier() override { group_.barrier(); }
  void all_reduce_sum(const at::Tensor& data) override {
    group_.all_reduce_sum(on_gpu(data, gpu_));
  }
  void all_reduce_max(const at::Tensor& data) override {
    group_.all_reduce_max(on_gpu(data, gpu_));
  }
  void broadcast(const at::Tensor& data, int root) override {
    group_.broadcast(on_gpu(data, gpu_), root);
  }
  at::Tensor all_gather(const at::Tensor& data) override {
    return on_cpu(group_.all_gather(on_gpu(data, gpu_)));
  }
  void send(const at::Tensor& data, int destination) override { group_.send(data, destination); }
  void send_async(const at::Tensor& data, int destination) override {
    group_.send_async(data, destination);
  }
  void receive(const at::Tensor& data, int source) override { group_.receive(data, source); }
  bool can_receive(int source) override { return group_.can_receive(source); }
  std::unique_ptr<comm::Group> split(int color) override {
    return std::make_unique<GroupOnGpu>(group_.split(color), gpu_);
  }

 private:
  const std::unique_ptr<comm::Group> owned_;
  comm::Group& group_;
  const at::Device gpu_;
};

}  // namespace ganscale::host_gpu
