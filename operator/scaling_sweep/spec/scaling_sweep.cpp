#include "scaling_sweep/spec/scaling_sweep.h"

namespace ganscale::controller::scaling_sweep {

ScalingSweep parse_sweep(const Json& object) {
  ScalingSweep sweep;
  read_stored(object, sweep);
  return sweep;
}

}  // namespace ganscale::controller::scaling_sweep
