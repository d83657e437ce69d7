#pragma once

#include "gan_training/spec/gan_training.h"
#include "object/stored_object.h"

namespace ganscale::controller::scaling_sweep {

using gan_training::kApiVersion;
inline constexpr const char* kKind = "ScalingSweep";

inline const Resource kSweeps{kApiVersion, "scalingsweeps"};

/// A ScalingSweep as stored by the API server.
struct ScalingSweep : StoredObject {
  ScalingSweep() : StoredObject{kSweeps, kKind} {}
};

/// Reads the identity of a stored object; its spec is read by parse_sweep_spec().
ScalingSweep parse_sweep(const Json& object);

}  // namespace ganscale::controller::scaling_sweep
