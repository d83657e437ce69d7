#include <array>

#include "fuzz/parsers.h"

namespace ganscale::fuzz {

std::span<const Target> targets() {
  static constexpr std::array<Target, 17> kTargets = {{
      {"assignment", parse_assignment},
      {"cel", parse_cel},
      {"cifar", parse_cifar},
      {"cluster_object", parse_cluster_object},
      {"dataset_json", parse_dataset_json},
      {"idx", parse_idx},
      {"image", parse_image},
      {"job_status", parse_job_status},
      {"kubeconfig", parse_kubeconfig},
      {"labels", parse_labels},
      {"parquet", parse_parquet},
      {"pickle", parse_pickle},
      {"tf_example", parse_tf_example},
      {"tfrecord", parse_tfrecord},
      {"watch_event", parse_watch_event},
      {"yaml", parse_yaml},
      {"zip", parse_zip},
  }};
  return kTargets;
}

}  // namespace ganscale::fuzz
