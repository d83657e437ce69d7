#include "training/replica/network_groups.h"

namespace ganscale::training {

NetworkGroups::NetworkGroups(const RunConfig& config, comm::Group& group)
    : statistics_(group.split(
          config.model.blueprint->statistics_color(config.training.images_per_pass(), group))) {
  if (config.training.running_means == RunningMeans::kAveraged) path_length_ = group.split(0);
}

void NetworkGroups::finish() {
  statistics_->finish();
  if (path_length_) path_length_->finish();
}

}  // namespace ganscale::training
