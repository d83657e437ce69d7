#pragma once

#include <string>
#include <vector>

#include "gan_training/desired/avoided_nodes.h"
#include "gan_training/desired/pod.h"
#include "gan_training/plan/plan.h"

namespace ganscale::controller::gan_training {

inline const Resource kMpiJobs{"kubeflow.org/v2beta1", "mpijobs"};

/// Returns the MPIJob of one attempt: a worker replica is a node, slotsPerWorker its processes.
///
/// avoided: nodes on which no worker is to run.
Json mpi_job(const Plan& plan, const Try& which, const AvoidedNodes& avoided = {});

/// Returns a hash of everything in the attempt's pods, configuration included, but their grace: an
/// attempt with another hash than the plan's must be replaced.
std::string plan_hash(const Plan& plan);

/// Returns a hash of the configuration only.
std::string config_hash(const Plan& plan);

}  // namespace ganscale::controller::gan_training
