#include "gan_training/desired/overlaid.h"

#include <algorithm>
#include <span>

#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

void merge_values(Json& own, const Json& overlay) {
  if (own.is_object() && overlay.is_object()) {
    for (const auto& [key, value] : overlay.items()) {
      if (!value.is_null()) merge_values(own[key], value);
    }
  } else if (own.is_array() && overlay.is_array()) {
    for (const Json& item : overlay) {
      if (std::ranges::find(own, item) == own.end()) own.push_back(item);
    }
  } else {
    own = overlay;
  }
}

void merge_items(Json& own, const Json& overlay, const char* key) {
  for (const Json& item : overlay) {
    const std::string value = text_at(item, key);
    const auto same =
        std::ranges::find_if(own, [&](const Json& each) { return text_at(each, key) == value; });
    if (same == own.end()) {
      own.push_back(item);
    } else {
      *same = item;
    }
  }
}

void merge_fields(Json& own, const Json& overlay, std::span<const OverlayField> fields) {
  for (const OverlayField& field : fields) {
    const auto value = overlay.find(field.name);
    if (value == overlay.end() || value->is_null()) continue;
    merge(own[std::string(field.name)], *value, field);
  }
}

}  // namespace

void merge(Json& own, const Json& overlay, const OverlayField& field) {
  if (field.key.empty()) {
    merge_values(own, overlay);
  } else {
    merge_items(own, overlay, ("/" + std::string(field.key)).c_str());
  }
}

Json overlaid(Json pod_template, const Plan& plan, const std::string& pod) {
  const Json overlay = overlay_of(plan, pod);
  merge_values(pod_template, {{"metadata", overlay.value("metadata", Json())}});
  Json& spec = pod_template["spec"];
  merge_fields(spec, overlay.value("spec", Json()), kPodFields);
  for (const Json& container : list_at(overlay, "/spec/containers")) {
    if (container["name"] == pod) {
      merge_fields(spec["containers"][0], container, kContainerFields);
    } else {
      spec["containers"].push_back(container);
    }
  }
  return pod_template;
}

}  // namespace ganscale::controller::gan_training
