#include "config/records.h"

namespace slipstream::config {
namespace {

using enum Type;
using enum Reload;

constexpr Bounds kAny{};
constexpr Bounds kNames{1, 64};
constexpr Bounds kRate{0, 1'000'000'000};
constexpr Bounds kFew{0, 64};

#define FIELD(list, member) \
  [](Settings& settings) -> Target { return &settings.list.back().member; }

RecordList tenants() {
  return {
      "tenants",
      "Who may call. A request belongs to the tenant whose key it presents, as bearer token, "
      "`x-api-key` or `api-key`; all keys of one tenant share with each other.",
      [](const Settings& settings) { return settings.tenants.size(); },
      [](Settings& settings, std::size_t size) { settings.tenants.resize(size); },
      {
          {"name", FIELD(tenants, name), "", kString, "", kNames, kNo,
           "What metrics and a trusted header call the tenant; its scope, too."},
          {"keys", FIELD(tenants, keys), "", kSecretList, "", kFew, kNo,
           "Its API keys, best as `${VARIABLE}`, or as `hmac:...` made by `slipstream hash-key` "
           "from the key and `scope.secret`."},
          {"upstream_credential", FIELD(tenants, upstream_credential), "", kSecret, "",
           Bounds(4, 4096), kNo,
           "Key that the upstream is shown in place of the caller's; the caller's own is passed "
           "on if absent."},
          {"requests_per_minute", FIELD(tenants, requests_per_minute), "", kInteger, "0", kRate,
           kNo, "Requests allowed per minute, followers included; 0 allows any number."},
          {"tokens_per_minute", FIELD(tenants, tokens_per_minute), "", kInteger, "0", kRate, kNo,
           "Tokens of prompts and answers allowed per minute, charged to each caller of a "
           "shared answer in full, once they are known; 0 allows any number."},
      }};
}

// A route begins as a copy of what holds without it.
Route unnamed(const Settings& settings) {
  Route route;
  static_cast<Sharing&>(route) = settings.coalesce;
  return route;
}

RecordList routes() {
  return {
      "routes",
      "What may share, by kind and model of the request. The first route that fits decides; "
      "requests that none fits follow `coalesce.*`.",
      [](const Settings& settings) { return settings.routes.size(); },
      [](Settings& settings, std::size_t size) { settings.routes.resize(size, unnamed(settings)); },
      {
          {"name", FIELD(routes, name), "", kString, "", kNames, kNo,
           "What metrics call the route; a part of the key, so that routes never share with each "
           "other."},
          {"surfaces",
           FIELD(routes, surfaces),
           "",
           kList,
           "",
           kFew,
           kNo,
           "Kinds of request that the route takes; none given takes all.",
           {"chat_completions", "completions", "embeddings", "responses", "rerank", "tokenize",
            "messages", "count_tokens", "ollama_chat", "ollama_generate", "ollama_embed",
            "transcriptions"}},
          {"models", FIELD(routes, models), "", kList, "", kFew, kNo,
           "Models that the route takes, a `*` at the end standing for any rest; none given takes "
           "all."},
          {"enabled", FIELD(routes, enabled), "", kBool, "coalesce.enabled", kAny, kNo,
           "Whether its identical requests share one generation at all."},
          {"sampled",
           FIELD(routes, sampled),
           "",
           kEnum,
           "coalesce.sampled",
           kAny,
           kNo,
           "As `coalesce.sampled`.",
           {"separate", "share"}},
          {"seed_honoured", FIELD(routes, seed_honoured), "", kBool, "coalesce.seed_honoured", kAny,
           kNo, "As `coalesce.seed_honoured`."},
          {"harmless_fields", FIELD(routes, harmless_fields), "", kList, "coalesce.harmless_fields",
           kFew, kNo, "As `coalesce.harmless_fields`."},
          {"harmless_headers", FIELD(routes, harmless_headers), "", kList,
           "coalesce.harmless_headers", kFew, kNo, "As `coalesce.harmless_headers`."},
          {"public", FIELD(routes, is_public), "", kBool, "false", kAny, kNo,
           "Shares across tenants, and with whoever can reach the gateway if keys are not checked "
           "here: an answer made with one caller's credential is given to all."},
      }};
}

}  // namespace

const Option* RecordList::find(std::string_view field) const {
  for (const Option& option : fields) {
    if (option.name == field) return &option;
  }
  return nullptr;
}

const std::vector<RecordList>& record_lists() {
  static const std::vector<RecordList> table = {tenants(), routes()};
  return table;
}

const RecordList* find_record_list(std::string_view name) {
  for (const RecordList& list : record_lists()) {
    if (list.name == name) return &list;
  }
  return nullptr;
}

bool follows_option(const Option& field) {
  return find_option(field.default_text) != nullptr;
}

}  // namespace slipstream::config
