#include "scaling_sweep/reconcile/kind.h"

#include "scaling_sweep/reconcile/reconciler.h"
#include "scaling_sweep/reconcile/sweep_metrics.h"

namespace ganscale::controller::scaling_sweep {
namespace {

class ScalingSweepKind : public Kind {
 public:
  ScalingSweepKind(const KindSettings& settings, const KindContext& context)
      : now_(context.now),
        informers_({context.connect_watch, context.hooks, context.enqueue, context.watched}),
        reconciler_({.client = context.client,
                     .informers = informers_,
                     .events = context.events,
                     .profiles = settings.profiles,
                     .schema = settings.schema,
                     .now = now_}) {}

  std::vector<Informer*> informers() override { return informers_.all(); }

  std::optional<std::chrono::seconds> reconcile(const Key& key) override {
    return reconciler_.reconcile(key);
  }

  void collect(Families& families) const override {
    collect_sweeps(informers_.sweeps->all(), families);
  }

 private:
  const std::function<Time()> now_;
  Informers informers_;
  Reconciler reconciler_;
};

}  // namespace

KindEntry kind(const KindSettings& settings) {
  return {"scalingsweep", [settings](const KindContext& context) {
            return std::make_unique<ScalingSweepKind>(settings, context);
          }};
}

}  // namespace ganscale::controller::scaling_sweep
