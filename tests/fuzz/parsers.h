#pragma once

#include "fuzz/target.h"

/// The functions of targets(): each parses its input as one kind of file or message.
namespace ganscale::fuzz {

// datasets.cpp
void parse_cifar(Bytes input);
void parse_dataset_json(Bytes input);
void parse_idx(Bytes input);
void parse_labels(Bytes input);
void parse_parquet(Bytes input);
void parse_tf_example(Bytes input);
void parse_tfrecord(Bytes input);
void parse_zip(Bytes input);

// images.cpp
void parse_image(Bytes input);

// weights.cpp
void parse_pickle(Bytes input);

// configurations.cpp
void parse_assignment(Bytes input);
void parse_job_status(Bytes input);
void parse_yaml(Bytes input);

// cluster.cpp
void parse_cel(Bytes input);
void parse_cluster_object(Bytes input);
void parse_kubeconfig(Bytes input);
void parse_watch_event(Bytes input);

}  // namespace ganscale::fuzz
