#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/group/group.h"
#include "tensors/named_tensors.h"
#include "training/run/run_config.h"
#include "training/schemes/asynchronous/image_buffer.h"
#include "wire/role_plan.h"

namespace ganscale::training {

/// A rank's part of a batch: the images rank, rank + size, ...
struct BatchPart {
  int rank = 0;
  int size = 1;
};

/// Returns which rows of `own` are images of `other`, too, in ascending order. The images that two
/// parts share are in the same order in both.
std::vector<std::int64_t> shared_rows(const BatchPart& own, const BatchPart& other,
                                      std::int64_t batch);

/// What passes between the ranks of the two roles: fakes one way, snapshots of the discriminator
/// the other way. Both are sent through the memory of the host, and sending never waits.
class RoleLinks {
 public:
  /// Every rank of the world calls it. All is borrowed.
  RoleLinks(const RunConfig& config, const wire::RolePlan& plan, comm::Group& world);

  wire::Role role() const { return place_.role; }
  /// The ranks of this rank's role.
  comm::Group& ranks() { return *ranks_; }
  /// Shuts the groups down; every rank calls it, when everything sent was received.
  void finish();

  // A rank of the generator:

  /// Sends each discriminator's rank its part of this rank's fakes, with their labels only if those
  /// were drawn. buffers: that return to the discriminator, or none.
  void send_fakes(const FakeBatch& batch, const NamedTensors& buffers);
  /// Returns whether a snapshot has been sent that this rank has not received.
  bool snapshot_is_there() { return snapshots_->can_receive(publisher_); }
  /// Waits for the next snapshot and copies it to `state`. Returns its version: the number of steps
  /// before it.
  std::int64_t receive_snapshot(const NamedTensors& state);

  // A rank of the discriminator:

  /// Sends its state to the ranks of the generator that take theirs from this rank.
  void send_snapshot(std::int64_t version, const NamedTensors& state);
  /// Returns whether fakes have been sent that this rank has not received.
  bool fakes_are_there() { return images_->can_receive(peers_.front().world_rank); }
  /// Waits for this rank's part of the fakes of the next step, on the CPU, with labels as sent.
  /// buffers: takes those that return, if the generator sends some.
  FakeBatch receive_fakes(const NamedTensors& buffers);

 private:
  /// A rank of the other role with which this rank shares images.
  struct Peer {
    int world_rank = 0;
    at::Tensor rows;  ///< of this rank's part of the batch, int64
    bool shares_buffers = false;
  };

  /// Whether the discriminator's ranks don't know the labels of fakes from their reals.
  bool sends_labels() const { return config_.loss.uniform_labels; }
  std::vector<Peer> find_peers(const wire::RolePlan& plan) const;
  void find_subscribers(const wire::RolePlan& plan);

  const RunConfig& config_;
  const wire::RolePlace place_;
  const std::unique_ptr<comm::Group> ranks_;
  const std::unique_ptr<comm::Group> images_;     // a group of its own: sends of one do not wait
  const std::unique_ptr<comm::Group> snapshots_;  // for ranks of the other
  const std::vector<Peer> peers_;
  int publisher_ = 0;             // world rank of a generator's rank's snapshots
  std::vector<int> subscribers_;  // world ranks to which a discriminator's rank sends its snapshots
};

}  // namespace ganscale::training
