#pragma once

#include <array>
#include <string_view>

#include "gan_training/plan/plan.h"

namespace ganscale::controller::gan_training {

/// The pods that spec.podTemplate has an overlay for; their own containers have the same names.
inline constexpr std::string_view kWorkerPod = name_in(kRoles, Role::kWorker);
inline constexpr std::string_view kLauncherPod = name_in(kRoles, Role::kLauncher);

/// A field that an overlay may set. A list with a key is merged by it: an item takes the place of
/// the one with the same value of the key. Otherwise maps are merged key by key, items are added to
/// a list that lacks them, and another value takes the place of the old one.
struct OverlayField {
  std::string_view name;
  std::string_view key{};
};

inline constexpr OverlayField kContainers{"containers", "name"};
inline constexpr OverlayField kVolumes{"volumes", "name"};
inline constexpr OverlayField kEnvironment{"env", "name"};
inline constexpr OverlayField kMounts{"volumeMounts", "mountPath"};
inline constexpr OverlayField kDevices{"volumeDevices", "devicePath"};
inline constexpr OverlayField kInitContainers{"initContainers", "name"};

/// What an overlay may set of a pod, other than its containers; everything else is the operator's.
inline constexpr std::array kPodFields{OverlayField{"affinity"},
                                       OverlayField{"dnsConfig"},
                                       OverlayField{"dnsPolicy"},
                                       OverlayField{"enableServiceLinks"},
                                       OverlayField{"hostAliases", "ip"},
                                       OverlayField{"hostNetwork"},
                                       OverlayField{"imagePullSecrets", "name"},
                                       kInitContainers,
                                       OverlayField{"nodeSelector"},
                                       OverlayField{"resourceClaims", "name"},
                                       OverlayField{"runtimeClassName"},
                                       OverlayField{"securityContext"},
                                       OverlayField{"serviceAccountName"},
                                       OverlayField{"tolerations"},
                                       OverlayField{"topologySpreadConstraints", "topologyKey"},
                                       kVolumes};

/// What it may set of the operator's own container of a pod. Other containers are sidecars.
inline constexpr std::array kContainerFields{kEnvironment, OverlayField{"resources"}, kDevices,
                                             kMounts};

/// Volumes that it can't have: the operator's, then those that the MPI Operator adds.
inline constexpr std::array<std::string_view, 9> kOwnVolumes{
    "run", "tmp", "control", "shm", "data", "storage", "feature-net", "ssh-auth", "mpi-job-config"};
/// Variables that it can't set, beside those of wire::environment: the operator's for mpirun, then
/// those that the MPI Operator adds.
inline constexpr std::array<std::string_view, 7> kMpiVariables{"PRTE_MCA_prte_default_hostfile",
                                                               "PRTE_MCA_plm_ssh_args",
                                                               "OMPI_MCA_orte_default_hostfile",
                                                               "OMPI_MCA_orte_keep_fqdn_hostnames",
                                                               "OMPI_MCA_orte_set_default_slots",
                                                               "OMPI_MCA_plm_rsh_args",
                                                               "K_MPI_JOB_ROLE"};

/// Returns the overlay of a pod, spec.podTemplate.worker or .launcher; an empty object if there is
/// none.
Json overlay_of(const Plan& plan, std::string_view pod);

/// Returns the environment variables that the overlay gives to the ranks: `env` of the worker's
/// container.
Json overlay_environment(const Plan& plan);

/// Checks that overlays set only what is not the operator's: neither its container's command,
/// image, ports, rights, nor its volumes, mounts, variables, labels, nor the resources of the node
/// profile. Checks what they add as far as the API server would only refuse the MPIJob or its pods:
/// labels, quantities, the names of init containers, and that the volumes of mounts are there.
/// Throws ConfigError or Refusal with the key.
void check_overlays(const Plan& plan);

}  // namespace ganscale::controller::gan_training
