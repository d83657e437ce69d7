#pragma once

#include "gan_training/plan/plan.h"

namespace ganscale::controller::gan_training {

/// What distinguishes one attempt of a training from the others.
struct Try {
  int attempt = 0;   ///< counts the MPIJobs of the training from 1; part of the name
  int restarts = 0;  ///< how often the training was restarted before; the worker reports it
  bool accepts_fabric = false;  ///< trains even if the preflight fails
};

/// Returns the pod template of launcher or worker.
Json pod_template(const Plan& plan, Role role, const Try& which);

/// Returns a pod of one container, which gets what every pod of a training has: the image and how
/// to pull it, the role's rights, the profile's tolerations (for GPUs: workers only).
Json pod_around(const Plan& plan, Role role, Json container);

/// Returns where the volume of the runs is mounted, and the volume itself: the claim, or without one
/// a folder that ends with its pod.
Json storage_mount(const Plan& plan);
Json storage_volume(const Plan& plan);

/// Whether the pods run as root: only root can lock memory for RDMA.
inline bool runs_as_root(const Plan& plan) { return plan.profile.ipc_lock; }

}  // namespace ganscale::controller::gan_training
