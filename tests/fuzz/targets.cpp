#include <array>

#include "fuzz/parsers.h"

namespace ganscale::fuzz {

std::span<const Target> targets() {
  static constexpr std::array<Target, 31> kTargets = {{
      {"assignment", parse_assignment},
      {"brace_pattern", parse_brace_pattern},
      {"cel", parse_cel},
      {"checkpoint_name", parse_checkpoint_name},
      {"cifar", parse_cifar},
      {"cluster_object", parse_cluster_object},
      {"command", parse_command},
      {"dataset_json", parse_dataset_json},
      {"http_request", parse_http_request},
      {"idx", parse_idx},
      {"image", parse_image},
      {"job_status", parse_job_status},
      {"kubeconfig", parse_kubeconfig},
      {"label_names", parse_label_names},
      {"labels", parse_labels},
      {"ligatures", parse_ligatures},
      {"manifest", parse_manifest},
      {"number", parse_number},
      {"page_request", parse_page_request},
      {"parquet", parse_parquet},
      {"pickle", parse_pickle},
      {"record_index", parse_record_index},
      {"safetensors", parse_safetensors},
      {"sample_label", parse_sample_label},
      {"tar", parse_tar},
      {"tf_example", parse_tf_example},
      {"tfrecord", parse_tfrecord},
      {"torch_file", parse_torch_file},
      {"watch_event", parse_watch_event},
      {"yaml", parse_yaml},
      {"zip", parse_zip},
  }};
  return kTargets;
}

}  // namespace ganscale::fuzz
