#pragma once

#include <chrono>
#include <memory>

#include "kube/kubeconfig.h"
#include "kube/transport.h"

namespace ganscale::controller {

/// HTTP over cpprestsdk, with TLS as the access demands.
class RestTransport : public Transport {
 public:
  /// idle: an answer, or the next part of a stream, that takes longer is given up.
  /// Throws ConfigError if certificates can't be read, or the server's address is none.
  RestTransport(const ClusterAccess& access, std::chrono::seconds idle);
  ~RestTransport() override;

  HttpResponse send(const HttpRequest& request) override;
  HttpResponse stream(const HttpRequest& request,
                      const std::function<void(std::string_view)>& on_bytes) override;
  void stop() override;
  void refresh() override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ganscale::controller
