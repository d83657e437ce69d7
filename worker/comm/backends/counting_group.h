#pragma once

#include "comm/group/group.h"

namespace ganscale::comm {

/// Rank 0 of a group whose other ranks do not exist, for counting: operations take tensors of the
/// meta device, exchange nothing and appear in the record of cost::Recorder, the reductions as
/// "ganscale::all_reduce". A group of one reduces nothing.
class CountingGroup : public Group {
 public:
  explicit CountingGroup(int size, int rank = 0) : size_(size), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string_view backend() const override { return "counting"; }
  void all_reduce_async(const at::Tensor& data) override { all_reduce_sum(data); }
  void wait() override {}
  void finish() override {}
  AllReduceCost all_reduce_cost() const override { return {}; }
  void barrier() override {}
  void all_reduce_sum(const at::Tensor& data) override;
  void all_reduce_max(const at::Tensor& data) override { all_reduce_sum(data); }
  void broadcast(const at::Tensor& /*data*/, int /*root*/) override {}
  /// What is gathered counts as reduced.
  at::Tensor all_gather(const at::Tensor& data) override;
  void send(const at::Tensor& data, int destination) override;
  void send_async(const at::Tensor& data, int destination) override { send(data, destination); }
  void receive(const at::Tensor& data, int source) override;
  bool can_receive(int /*source*/) override { return false; }
  /// All ranks get the color.
  std::unique_ptr<Group> split(int color) override;

 private:
  int size_;
  int rank_;
};

}  // namespace ganscale::comm
