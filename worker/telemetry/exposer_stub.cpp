#include "base/log.h"
#include "telemetry/exposer.h"

namespace ganscale::telemetry {

struct Exposer::Server {};

Exposer::Exposer(const Endpoint& endpoint, Collect /*collect*/) {
  log::warning("This build has no network services: metrics are not exposed",
               {{"port", endpoint.port}});
}

Exposer::~Exposer() = default;

int Exposer::port() const { return 0; }

}  // namespace ganscale::telemetry
