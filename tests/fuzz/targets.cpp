#include <array>

#include "fuzz/parsers.h"

namespace ganscale::fuzz {

std::span<const Target> targets() {
  static constexpr std::array<Target, 44> kTargets = {{
      {"assignment", parse_assignment},
      {"brace_pattern", parse_brace_pattern},
      {"bundle", parse_bundle},
      {"cel", parse_cel},
      {"checkpoint_name", parse_checkpoint_name},
      {"cifar", parse_cifar},
      {"cluster_object", parse_cluster_object},
      {"command", parse_command},
      {"dataset_json", parse_dataset_json},
      {"emoji_list", parse_emoji_list},
      {"http_request", parse_http_request},
      {"idx", parse_idx},
      {"idx_labels", parse_idx_labels},
      {"image", parse_image},
      {"job_status", parse_job_status},
      {"kubeconfig", parse_kubeconfig},
      {"label_names", parse_label_names},
      {"label_state", parse_label_state},
      {"labels", parse_labels},
      {"last_words", parse_last_words},
      {"ligatures", parse_ligatures},
      {"machine", parse_machine},
      {"manifest", parse_manifest},
      {"metric", parse_metric},
      {"mlflow_answer", parse_mlflow_answer},
      {"mlflow_state", parse_mlflow_state},
      {"number", parse_number},
      {"page_request", parse_page_request},
      {"parquet", parse_parquet},
      {"pickle", parse_pickle},
      {"record_index", parse_record_index},
      {"report", parse_report},
      {"run_state", parse_run_state},
      {"safetensors", parse_safetensors},
      {"sample_label", parse_sample_label},
      {"stats", parse_stats},
      {"sweep_results", parse_sweep_results},
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
