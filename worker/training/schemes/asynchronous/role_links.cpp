#include "training/schemes/asynchronous/role_links.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include "base/error.h"
#include "comm/collectives/replicate.h"
#include "training/run/precision.h"

namespace ganscale::training {
namespace {

wire::Role other(wire::Role role) {
  return role == wire::Role::kGenerator ? wire::Role::kDiscriminator : wire::Role::kGenerator;
}

}  // namespace

std::vector<std::int64_t> shared_rows(const BatchPart& own, const BatchPart& other,
                                      std::int64_t batch) {
  std::vector<std::int64_t> rows;
  for (std::int64_t image = own.rank, row = 0; image < batch; image += own.size, ++row) {
    if (image % other.size == other.rank) rows.push_back(row);
  }
  return rows;
}

RoleLinks::RoleLinks(const RunConfig& config, const wire::RolePlan& plan, comm::Group& world)
    : config_(config),
      place_(plan.place(world.rank())),
      ranks_(world.split(static_cast<int>(place_.role))),
      images_(world.split(0)),
      snapshots_(world.split(0)),
      peers_(find_peers(plan)) {
  find_subscribers(plan);
}

std::vector<RoleLinks::Peer> RoleLinks::find_peers(const wire::RolePlan& plan) const {
  const wire::Role role = other(place_.role);
  const int generators = plan.size(wire::Role::kGenerator);
  std::vector<Peer> peers;
  for (int rank = 0; rank < plan.size(role); ++rank) {
    const auto rows = shared_rows({place_.rank, plan.size(place_.role)}, {rank, plan.size(role)},
                                  config_.training.batch);
    if (rows.empty()) continue;
    const bool generates = place_.role == wire::Role::kGenerator;
    const int generator = generates ? place_.rank : rank;
    const int discriminator = generates ? rank : place_.rank;
    peers.push_back({.world_rank = plan.world_rank({role, rank}),
                     .rows = at::tensor(rows),
                     .shares_buffers = discriminator % generators == generator});
  }
  return peers;
}

void RoleLinks::find_subscribers(const wire::RolePlan& plan) {
  const int publishers = plan.size(wire::Role::kDiscriminator);
  publisher_ = plan.world_rank({wire::Role::kDiscriminator, place_.rank % publishers});
  for (int rank = place_.rank; rank < plan.size(wire::Role::kGenerator); rank += publishers)
    subscribers_.push_back(plan.world_rank({wire::Role::kGenerator, rank}));
}

void RoleLinks::finish() {
  ranks_->finish();
  images_->finish();
  snapshots_->finish();
}

void RoleLinks::send_fakes(const FakeBatch& batch, const NamedTensors& buffers) {
  const at::NoGradGuard no_grad;
  const auto images =
      batch.fakes.images.to(at::kCPU, parameter_dtype(config_.training.precision)).contiguous();
  const at::Tensor labels = sends_labels() ? batch.fakes.labels.to(at::kCPU) : at::Tensor();
  const at::Tensor header =
      at::tensor({batch.step, static_cast<std::int64_t>(batch.fakes.next_site)});
  for (const Peer& peer : peers_) {
    images_->send_async(header, peer.world_rank);
    images_->send_async(images.index_select(0, peer.rows), peer.world_rank);
    if (sends_labels()) images_->send_async(labels.index_select(0, peer.rows), peer.world_rank);
    if (peer.shares_buffers)
      comm::send_state(*images_, buffers, peer.world_rank, config_.comm.bucket_bytes);
  }
}

FakeBatch RoleLinks::receive_fakes(const NamedTensors& buffers) {
  const models::ModelConfig& model = config_.model;
  const auto options = at::TensorOptions(parameter_dtype(config_.training.precision));
  const at::Tensor header = at::empty({2}, at::kLong);
  FakeBatch batch{
      .step = -1,
      .fakes = {.images = at::empty({config_.training.batch / ranks_->size(), model.channels,
                                     model.resolution.height, model.resolution.width},
                                    options)}};
  if (sends_labels()) batch.fakes.labels = at::empty({batch.fakes.images.size(0)}, at::kLong);
  for (const Peer& peer : peers_) {
    images_->receive(header, peer.world_rank);
    const auto* number = header.const_data_ptr<std::int64_t>();
    check(batch.step == -1 || batch.step == number[0], "a part of a batch is of another step");
    batch.step = number[0];
    batch.fakes.next_site = static_cast<std::uint32_t>(number[1]);
    auto shape = batch.fakes.images.sizes().vec();
    shape.front() = peer.rows.numel();
    const at::Tensor part = at::empty(shape, options);
    images_->receive(part, peer.world_rank);
    batch.fakes.images.index_copy_(0, peer.rows, part);
    if (sends_labels()) {
      const at::Tensor labels = at::empty({peer.rows.numel()}, at::kLong);
      images_->receive(labels, peer.world_rank);
      batch.fakes.labels.index_copy_(0, peer.rows, labels);
    }
    if (peer.shares_buffers)
      comm::receive_state(*images_, buffers, peer.world_rank, config_.comm.bucket_bytes);
  }
  return batch;
}

void RoleLinks::send_snapshot(std::int64_t version, const NamedTensors& state) {
  if (subscribers_.empty()) return;
  const at::Tensor header = at::tensor({version});
  const auto chunks = comm::copy_state(state, config_.comm.bucket_bytes);
  // One after the other: the next one takes its first message only once the first has all of its
  // own, and long messages are sent only once they are taken.
  for (const int subscriber : subscribers_) {
    snapshots_->send_async(header, subscriber);
    for (const at::Tensor& chunk : chunks) snapshots_->send_async(chunk, subscriber);
  }
}

std::int64_t RoleLinks::receive_snapshot(const NamedTensors& state) {
  const at::Tensor version = at::empty({1}, at::kLong);
  snapshots_->receive(version, publisher_);
  comm::receive_state(*snapshots_, state, publisher_, config_.comm.bucket_bytes);
  return version.item<std::int64_t>();
}

}  // namespace ganscale::training
