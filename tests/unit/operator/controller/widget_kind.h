#pragma once

#include "controller/kind.h"

namespace ganscale::controller {

inline const Resource kWidgets{"example.com/v1", "widgets"};

/// A second kind of resource, which exists in tests alone: a Widget becomes a ConfigMap of its name
/// that holds its spec. What a new kind needs is here: this file, and the line widget_kind() in a
/// table of kinds.
class WidgetKind : public Kind {
 public:
  explicit WidgetKind(const KindContext& context)
      : context_(context),
        widgets_(context.connect_watch, context.hooks,
                 {.resource = kWidgets, .name_spaces = context.watched},
                 [enqueue = context.enqueue](const Json& widget) { enqueue(key_of(widget)); }) {}

  std::vector<Informer*> informers() override { return {&widgets_}; }

  std::optional<std::chrono::seconds> reconcile(const Key& key) override {
    const auto widget = widgets_.find(key);
    if (!widget) return std::nullopt;
    const ObjectReference reference{kWidgets.api_version, "Widget", key, ""};
    context_.client.apply(resource::kConfigMaps,
                          {{"metadata", {{"name", key.name}, {"namespace", key.name_space}}},
                           {"data", {{"spec", (*widget)["spec"].dump()}}}});
    context_.events.record(reference, {false, "Made", "its ConfigMap is there"});
    return std::chrono::seconds(60);
  }

  void collect(Families& families) const override {
    constexpr Metric kCount{"example_widgets", "Widgets.", telemetry::Type::kGauge};
    families.add(kCount, {}, static_cast<double>(widgets_.all().size()));
  }

 private:
  const KindContext context_;
  Informer widgets_;
};

inline KindEntry widget_kind() {
  return {"widget",
          [](const KindContext& context) { return std::make_unique<WidgetKind>(context); }};
}

}  // namespace ganscale::controller
