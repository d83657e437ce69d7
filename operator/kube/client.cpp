#include "kube/client.h"

#include <algorithm>
#include <thread>

namespace ganscale::controller {
namespace {

using std::chrono::milliseconds;

constexpr const char* kManager = "ganscale-operator";
constexpr int kTriesWhenBusy = 10;
constexpr int kTriesWhenBroken = 3;
constexpr milliseconds kPause{200};
constexpr std::chrono::seconds kLongestPause{10};

Json parse(const HttpResponse& response, const std::string& what) {
  Json json = parse_json(response.body);
  if (json.is_discarded())
    throw ApiError(response.status, "NotJson", what + ": the response is not JSON");
  return json;
}

bool is_good(int status) { return status >= 200 && status < 300; }

/// Returns an item of a list with its apiVersion and kind, as a single object has them: the
/// server returns them for built-in objects only once, as the list's.
Json typed_item(const Json& list, Json item) {
  constexpr std::string_view kSuffix = "List";
  const std::string list_kind = list.value("kind", "");
  if (!item.is_object() || !list_kind.ends_with(kSuffix)) return item;
  item.emplace("kind", list_kind.substr(0, list_kind.size() - kSuffix.size()));
  item.emplace("apiVersion", list.value("apiVersion", ""));
  return item;
}

}  // namespace

void throw_api_error(const HttpResponse& response, const std::string& what) {
  const Json status = parse_json(response.body);
  const bool told = status.is_object() && status.value("kind", "") == "Status";
  throw ApiError(response.status, told ? status.value("reason", "") : "",
                 what + ": " + std::to_string(response.status) + ": " +
                     (told ? status.value("message", "") : response.body.substr(0, 200)));
}

Client::Client(Transport& transport, Hooks hooks)
    : transport_(transport), hooks_(std::move(hooks)) {
  if (!hooks_.sleep) hooks_.sleep = [](milliseconds time) { std::this_thread::sleep_for(time); };
}

/// Sends a request; a broken connection is retried, unless something may have been made.
HttpResponse Client::call_once(const HttpRequest& request) {
  using Clock = std::chrono::steady_clock;
  for (int tried = 1;; ++tried) {
    if (request.method != "GET" && !hooks_.may_write()) {
      throw TransportError(request.method + " " + request.path +
                           ": not sent: the lease was not renewed in time");
    }
    const auto began = Clock::now();
    try {
      HttpResponse response = transport_.send(request);
      hooks_.on_request(request.method, response.status, Clock::now() - began);
      return response;
    } catch (const TransportError&) {
      hooks_.on_request(request.method, 0, Clock::now() - began);
      if (!hooks_.tries_again || tried >= kTriesWhenBroken || request.method == "POST") throw;
    }
    hooks_.sleep(kPause * tried);
  }
}

HttpResponse Client::call(const HttpRequest& request) {
  bool refreshed = false;
  for (int tried = 1;; ++tried) {
    HttpResponse response = call_once(request);
    if (response.status == 401 && !refreshed) {
      refreshed = true;
      transport_.refresh();
      continue;
    }
    const int most_tries = !hooks_.tries_again      ? 1
                           : response.status == 429 ? kTriesWhenBusy
                           : response.status >= 500 ? kTriesWhenBroken
                                                    : 1;
    if (tried >= most_tries) return response;
    const milliseconds asked = response.retry_after.value_or(std::chrono::seconds(0));
    hooks_.sleep(std::clamp<milliseconds>(asked, kPause * tried, kLongestPause));
  }
}

std::optional<Json> Client::get(const Resource& resource, const Key& key) {
  const HttpResponse response = call({.method = "GET", .path = resource.path(key)});
  if (response.status == 404) return std::nullopt;
  if (!is_good(response.status)) throw_api_error(response, "get " + resource.path(key));
  return parse(response, "get " + resource.path(key));
}

std::string Client::list(const Resource& resource, const std::string& name_space,
                         const std::string& query, const std::function<void(Json)>& on_item) {
  constexpr auto kPage = "limit=250";
  const std::string all = resource.path(name_space);
  const std::string what = "list " + all;
  std::string next;
  while (true) {
    std::string path = all + "?" + kPage;
    if (!query.empty()) path += "&" + query;
    if (!next.empty()) path += "&continue=" + next;
    const HttpResponse response = call({.method = "GET", .path = path});
    if (!is_good(response.status)) throw_api_error(response, what);
    Json page = parse(response, what);
    for (Json& item : page["items"]) on_item(typed_item(page, std::move(item)));
    next = page["metadata"].value("continue", "");
    if (next.empty()) return page["metadata"].value("resourceVersion", "");
  }
}

Json Client::create(const Resource& resource, const Json& object) {
  const std::string path = resource.path(key_of(object).name_space);
  const HttpResponse response = call({.method = "POST", .path = path, .body = object.dump()});
  if (!is_good(response.status)) throw_api_error(response, "create " + path);
  return parse(response, "create " + path);
}

Json Client::apply(const Resource& resource, const Json& object) {
  const std::string path = resource.path(key_of(object));
  const HttpResponse response = call({.method = "PATCH",
                                      .path = path + "?fieldManager=" + kManager + "&force=true",
                                      .body = object.dump(),
                                      .content_type = "application/apply-patch+yaml"});
  if (!is_good(response.status)) throw_api_error(response, "apply " + path);
  return parse(response, "apply " + path);
}

std::optional<Json> Client::metadata(const Resource& resource, const Key& key) {
  const std::string path = resource.path(key);
  const HttpResponse response =
      call({.method = "PATCH",
            .path = path + "?dryRun=All",
            .body = "{}",
            .content_type = "application/merge-patch+json",
            .accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"});
  if (response.status == 404) return std::nullopt;
  if (!is_good(response.status)) throw_api_error(response, "patch " + path);
  return parse(response, "patch " + path);
}

Json Client::update(const Resource& resource, const Json& object, bool status) {
  const std::string path = resource.path(key_of(object)) + (status ? "/status" : "");
  const HttpResponse response = call({.method = "PUT", .path = path, .body = object.dump()});
  if (!is_good(response.status)) throw_api_error(response, "update " + path);
  return parse(response, "update " + path);
}

Json Client::patch(const Resource& resource, const Key& key, const Json& patch) {
  const HttpResponse response = call({.method = "PATCH",
                                      .path = resource.path(key),
                                      .body = patch.dump(),
                                      .content_type = "application/merge-patch+json"});
  if (!is_good(response.status)) throw_api_error(response, "patch " + resource.path(key));
  return parse(response, "patch " + resource.path(key));
}

void Client::remove(const Resource& resource, const Key& key, const std::string& uid,
                    const std::string& version) {
  Json options = {{"apiVersion", "v1"},
                  {"kind", "DeleteOptions"},
                  {"propagationPolicy", "Background"},
                  {"preconditions", {{"uid", uid}}}};
  if (!version.empty()) options["preconditions"]["resourceVersion"] = version;
  const HttpResponse response =
      call({.method = "DELETE", .path = resource.path(key), .body = options.dump()});
  const bool is_another = response.status == 409;
  if (is_good(response.status) || response.status == 404 || is_another) return;
  throw_api_error(response, "delete " + resource.path(key));
}

}  // namespace ganscale::controller
