#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "comm/group/group.h"

namespace ganscale::comm {

/// A group that shows an observer the name of each operation of its own and of the groups that are
/// split from it.
class ObservedGroup : public Group {
 public:
  using Observer = std::function<void(std::string_view operation)>;

  /// group: borrowed.
  ObservedGroup(Group& group, Observer observe) : group_(group), observe_(std::move(observe)) {}
  ObservedGroup(std::unique_ptr<Group> group, Observer observe)
      : owned_(std::move(group)), group_(*owned_), observe_(std::move(observe)) {}

  int rank() const override { return group_.rank(); }
  int size() const override { return group_.size(); }
  std::string_view backend() const override { return group_.backend(); }
  AllReduceCost all_reduce_cost() const override { return group_.all_reduce_cost(); }
  void all_reduce_async(const at::Tensor& data) override {
    observe_("all_reduce_async"), group_.all_reduce_async(data);
  }
  void wait() override { observe_("wait"), group_.wait(); }
  void finish() override { observe_("finish"), group_.finish(); }
  void barrier() override { observe_("barrier"), group_.barrier(); }
  void all_reduce_sum(const at::Tensor& data) override {
    observe_("all_reduce_sum"), group_.all_reduce_sum(data);
  }
  void all_reduce_max(const at::Tensor& data) override {
    observe_("all_reduce_max"), group_.all_reduce_max(data);
  }
  void broadcast(const at::Tensor& data, int root) override {
    observe_("broadcast"), group_.broadcast(data, root);
  }
  at::Tensor all_gather(const at::Tensor& data) override {
    return observe_("all_gather"), group_.all_gather(data);
  }
  void send(const at::Tensor& data, int destination) override {
    observe_("send"), group_.send(data, destination);
  }
  void send_async(const at::Tensor& data, int destination) override {
    observe_("send_async"), group_.send_async(data, destination);
  }
  void receive(const at::Tensor& data, int source) override {
    observe_("receive"), group_.receive(data, source);
  }
  bool can_receive(int source) override {
    return observe_("can_receive"), group_.can_receive(source);
  }
  std::unique_ptr<Group> split(int color) override {
    observe_("split");
    return std::make_unique<ObservedGroup>(group_.split(color), observe_);
  }

 private:
  const std::unique_ptr<Group> owned_;
  Group& group_;
  const Observer observe_;
};

}  // namespace ganscale::comm
