#include "gan_training/reconcile/kind.h"

#include "gan_training/reconcile/control_token.h"
#include "gan_training/reconcile/reconciler.h"
#include "gan_training/reconcile/training_metrics.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr int kProbeThreads = 4;

class GanTrainingKind : public Kind {
 public:
  GanTrainingKind(const KindSettings& settings, const KindContext& context)
      : settings_(settings),
        context_(context),
        informers_({context.connect_watch, context.hooks, context.enqueue, context.watched}),
        probe_(settings.poll_interval, kProbeThreads, context.enqueue) {}

  std::vector<Informer*> informers() override { return informers_.all(); }

  void begin_to_lead() override {
    reconciler_.emplace(Reconciler::Parts{
        .cluster = {context_.client, informers_, context_.events, warnings_, context_.name_space},
        .rules = {settings_.profiles, settings_.schema},
        .probe = probe_,
        .token_key = read_token_key(context_.client, context_.name_space),
        .now = context_.now});
  }

  std::optional<std::chrono::seconds> reconcile(const Key& key) override {
    return reconciler_->reconcile(key);
  }

  void collect(Families& families) const override {
    collect_trainings(informers_.trainings->all(), context_.now(), families);
  }

 private:
  const KindSettings settings_;
  const KindContext context_;
  Informers informers_;
  PodWarnings warnings_;
  WorkerProbe probe_;
  std::optional<Reconciler> reconciler_;
};

}  // namespace

KindEntry kind(const KindSettings& settings) {
  return {"gantraining", [settings](const KindContext& context) {
            return std::make_unique<GanTrainingKind>(settings, context);
          }};
}

}  // namespace ganscale::controller::gan_training
