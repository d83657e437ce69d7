#pragma once

#include "fuzz/target.h"

/// The functions of targets(): each parses its input as one kind of file or message.
namespace ganscale::fuzz {

// datasets.cpp
void parse_brace_pattern(Bytes input);
void parse_cifar(Bytes input);
void parse_dataset_json(Bytes input);
void parse_emoji_list(Bytes input);
void parse_idx(Bytes input);
void parse_idx_labels(Bytes input);
void parse_label_names(Bytes input);
void parse_labels(Bytes input);
void parse_ligatures(Bytes input);
void parse_parquet(Bytes input);
void parse_record_index(Bytes input);
void parse_sample_label(Bytes input);
void parse_tar(Bytes input);
void parse_tf_example(Bytes input);
void parse_tfrecord(Bytes input);
void parse_zip(Bytes input);

// images.cpp
void parse_image(Bytes input);

// weights.cpp
void parse_pickle(Bytes input);

// checkpoints.cpp
void parse_checkpoint_name(Bytes input);
void parse_manifest(Bytes input);
void parse_safetensors(Bytes input);
void parse_torch_file(Bytes input);

// configurations.cpp
void parse_assignment(Bytes input);
void parse_job_status(Bytes input);
void parse_machine(Bytes input);
void parse_metric(Bytes input);
void parse_number(Bytes input);
void parse_yaml(Bytes input);

// cluster.cpp
void parse_cel(Bytes input);
void parse_cluster_object(Bytes input);
void parse_kubeconfig(Bytes input);
void parse_last_words(Bytes input);
void parse_sweep_results(Bytes input);
void parse_watch_event(Bytes input);

// requests.cpp
void parse_command(Bytes input);
void parse_http_request(Bytes input);
void parse_page_request(Bytes input);

// run_folders.cpp
void parse_bundle(Bytes input);
void parse_label_state(Bytes input);
void parse_report(Bytes input);
void parse_run_state(Bytes input);
void parse_stats(Bytes input);

// tracking.cpp
void parse_mlflow_answer(Bytes input);
void parse_mlflow_state(Bytes input);

}  // namespace ganscale::fuzz
