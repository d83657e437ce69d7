#include "gan_training/desired/purge_job.h"

#include "gan_training/desired/pod.h"

namespace ganscale::controller::gan_training {

Json purge_job(const Plan& plan) {
  Json pod = pod_around(plan, Role::kPurge,
                        {{"name", name_in(kRoles, Role::kPurge)},
                         {"command", {"/bin/rm", "-rf", run_folder(plan)}},
                         {"resources",
                          {{"requests", {{"cpu", "100m"}, {"memory", "64Mi"}}},
                           {"limits", {{"cpu", "1"}, {"memory", "256Mi"}}}}},
                         {"volumeMounts", Json::array({storage_mount(plan)})}});
  pod["volumes"] = Json::array({storage_volume(plan)});
  pod["restartPolicy"] = "Never";
  Json metadata = metadata_of(plan, purge_job_name(plan.key));
  metadata["finalizers"] = Json::array({"foregroundDeletion"});
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", metadata},
          {"spec",
           {{"backoffLimit", 3},
            // Also for a pod that never starts: without the Job's end the training would stay.
            {"activeDeadlineSeconds", kPurgeDeadline.count()},
            {"template", {{"spec", pod}}}}}};
}

}  // namespace ganscale::controller::gan_training
