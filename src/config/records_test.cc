#include "config/records.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "config/load.h"
#include "config/tenant_key.h"
#include "config/value.h"

namespace slipstream::config {
namespace {

constexpr std::string_view kSecretText = "0123456789abcdef";

LoadInput from(std::string yaml, std::vector<std::pair<std::string, std::string>> flags = {}) {
  LoadInput input;
  input.yaml_text = std::move(yaml);
  input.yaml_name = "gw.yaml";
  input.flags = std::move(flags);
  input.environment = [](std::string_view name) -> std::optional<std::string> {
    if (name == "KEY_A") return "canary-key-a";
    if (name == "UP") return "canary-upstream";
    if (name == "NEWLINE") return "canary-key\n";
    if (name == "SECRET") return std::string(kSecretText);
    return std::nullopt;
  };
  return input;
}

std::string error_of(const LoadInput& input) {
  const auto result = load(input);
  return result ? "" : result.error().message;
}

constexpr const char* kFile =
    "scope: {secret: '${SECRET}'}\n"
    "tenants:\n"
    "  - name: a\n"
    "    keys: ['${KEY_A}', literal-key]\n"
    "    upstream_credential: ${UP}\n"
    "    tokens_per_minute: 1000\n"
    "  - name: b\n"
    "routes:\n"
    "  - name: drafts\n"
    "    surfaces: [chat_completions]\n"
    "    models: [draft-*, m]\n"
    "    sampled: share\n"
    "    public: true\n"
    "  - {name: rest}\n";

TEST(Records, TenantsAndRoutesAreRead) {
  const auto loaded = load(from(kFile));
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Settings& s = loaded->settings;
  ASSERT_EQ(s.tenants.size(), 2U);
  EXPECT_EQ(s.tenants[0].name, "a");
  ASSERT_EQ(s.tenants[0].keys.size(), 2U);
  EXPECT_EQ(s.tenants[0].keys[0].reveal(), "canary-key-a");
  EXPECT_EQ(s.tenants[0].upstream_credential.reveal(), "canary-upstream");
  EXPECT_EQ(s.tenants[0].tokens_per_minute, 1000U);
  EXPECT_EQ(s.tenants[0].requests_per_minute, 0U);
  EXPECT_TRUE(s.tenants[1].keys.empty());
  ASSERT_EQ(s.routes.size(), 2U);
  EXPECT_EQ(s.routes[0].models, (std::vector<std::string>{"draft-*", "m"}));
  EXPECT_EQ(s.routes[0].sampled, Sampled::kShare);
  EXPECT_TRUE(s.routes[0].is_public);
  EXPECT_FALSE(s.routes[1].is_public);
}

TEST(Records, ARouteFollowsWhatIsInForceAfterAllLayers) {
  const auto loaded =
      load(from("routes:\n  - name: a\n  - {name: b, enabled: true}\n"
                "coalesce: {sampled: share, harmless_fields: [x]}\n",
                {{"coalesce.enabled", "false"}}));
  ASSERT_TRUE(loaded) << loaded.error().message;
  const auto& routes = loaded->settings.routes;
  EXPECT_FALSE(routes[0].enabled);
  EXPECT_TRUE(routes[1].enabled);
  EXPECT_EQ(routes[0].sampled, Sampled::kShare);
  EXPECT_EQ(routes[0].harmless_fields, std::vector<std::string>{"x"});
}

TEST(Records, MistakesAreToldWithPlaceAndName) {
  const std::map<std::string, std::string> cases = {
      {"tenants:\n  - nmae: a\n",
       "gw.yaml:2: unknown option `tenants[0].nmae`; did you mean `name`?"},
      {"tenents:\n  - name: a\n", "gw.yaml:1: unknown option `tenents`; did you mean `tenants`?"},
      {"tenants:\n  - name: a\n  - keys: []\n", "gw.yaml:3: `tenants[1]` must have `name`"},
      {"tenants:\n  - {}\n", "gw.yaml:2: `tenants[0]` must have `name`"},
      {"tenants: {name: a}\n", "gw.yaml:1: `tenants` must be a list of maps, `- name: ...`"},
      {"tenants: a\n", "gw.yaml:1: `tenants` must be a list of maps, `- name: ...`"},
      {"tenants: [a]\n", "gw.yaml:1: `tenants` must be a list of maps, `- name: ...`"},
      {"'tenants[0].name': a\n", "gw.yaml:1: unknown option `tenants[0].name`"},
      {"tenants:\n  - name: a\n    keys: x\n",
       "gw.yaml:3: `tenants[0].keys` must be a list of keys, each 8 to 1024 bytes without control "
       "characters, or hmac: and 64 lower-case hexadecimal digits, 0 to 64 items; the value given "
       "is not"},
      {"tenants:\n  - name: a\n    requests_per_minute: many\n",
       "gw.yaml:3: `tenants[0].requests_per_minute` must be a whole number, 0 to 1000000000; "
       "`many` is not"},
      {"tenants:\n  - name: a\n    keys: ['${NOPE}']\n",
       "gw.yaml:3: `tenants[0].keys`: the environment variable NOPE is not set"},
      {"tenants:\n  - name: a\n    keys:\n      - name: b\n",
       "gw.yaml:4: unknown option `tenants[0].keys[0]`; did you mean `keys`?"},
      {"coalesce:\n  harmless_fields:\n    - a: b\n",
       "gw.yaml:3: `coalesce.harmless_fields[0]` is a map in a list; only tenants and routes are "
       "lists of maps"},
      {"routes:\n  - name: a\n    surfaces: [chats]\n",
       "gw.yaml:3: `routes[0].surfaces` must be a list of chat_completions, completions, "
       "embeddings, responses, rerank, tokenize, messages, count_tokens, ollama_chat, "
       "ollama_generate, ollama_embed or transcriptions, 0 to 64 items; `chats` is not"},
  };
  for (const auto& [yaml, message] : cases) EXPECT_EQ(error_of(from(yaml)), message) << yaml;
  EXPECT_EQ(error_of(from("", {{"tenants", "a"}})),
            "--set tenants: `tenants` is a list of maps, which only a file can hold");
}

TEST(Records, ContradictionsAreRefused) {
  const std::string hash(64, 'a');
  EXPECT_EQ(error_of(from("tenants: [{name: a, keys: ['hmac:" + hash + "']}]\n")),
            "`tenants[0].keys` (from gw.yaml:1) holds a hash (`hmac:...`), which nothing can be "
            "compared with unless `scope.secret` is set to the secret it was made with");
  EXPECT_EQ(error_of(from("tenants: [{name: a}, {name: a}]\n")),
            "`tenants[1].name` (from gw.yaml:1) is the name of another one");
  EXPECT_EQ(error_of(from("routes: [{name: default}]\n")),
            "`routes[0].name` (from gw.yaml:1) is what requests without a route are counted as");
  EXPECT_EQ(error_of(from("tenants: [{name: a, keys: [key-number-1]}, {name: b, keys: "
                          "[key-number-1]}]\n")),
            "`tenants[1].keys` (from gw.yaml:1) holds a key that stands in this file twice");
  // The same key, once in clear and once as its hash.
  HmacSha256 mac(kSecretText);
  const std::string same = format_key_hash(hash_of_key(mac, "key-number-1"));
  EXPECT_EQ(
      error_of(from("scope: {secret: '${SECRET}'}\ntenants: [{name: a, keys: [key-number-1]}, "
                    "{name: b, keys: ['" +
                    same + "']}]\n")),
      "`tenants[1].keys` (from gw.yaml:2) holds a key that stands in this file twice");
}

TEST(Records, KeysAreNeverShownAndAMaskIsNoKey) {
  const auto loaded = load(from(kFile));
  ASSERT_TRUE(loaded);
  const std::string printed = print_config(*loaded);
  EXPECT_EQ(printed.find("canary"), std::string::npos);
  EXPECT_EQ(printed.find("literal-key"), std::string::npos);
  EXPECT_NE(printed.find("  - name: \"a\"  # from gw.yaml:3\n    keys: [\"***\", \"***\"]  # from "
                         "gw.yaml:4\n    upstream_credential: \"***\"  # from gw.yaml:5\n"),
            std::string::npos)
      << printed;
  EXPECT_FALSE(load(from(printed)));
  for (const char* yaml :
       {"tenants: [{name: a, keys: [canary]}]\n", "tenants: [{name: a, keys: ['${NEWLINE}']}]\n",
        "tenants: [{name: a, keys: ['hmac:canary-canary']}]\n",
        "tenants: [{name: a, upstream_credential: '${NEWLINE}'}]\n",
        "tenants: [{name: a, keys: [canary-key-1, canary-key-1]}]\n"}) {
    const std::string message = error_of(from(yaml));
    EXPECT_FALSE(message.empty()) << yaml;
    EXPECT_EQ(message.find("canary"), std::string::npos) << message;
  }
}

TEST(Records, PrintedRoutesReadBack) {
  const auto loaded =
      load(from("routes:\n  - {name: r, models: ['a\"b', 'c*'], enabled: false}\n"
                "  - {name: s, surfaces: [chat_completions], public: true}\n"));
  ASSERT_TRUE(loaded) << loaded.error().message;
  const auto again = load(from(print_config(*loaded)));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->settings.routes[0].models, loaded->settings.routes[0].models);
  EXPECT_FALSE(again->settings.routes[0].enabled);
  EXPECT_TRUE(again->settings.routes[1].is_public);
}

TEST(Records, DeclarationsAreSound) {
  for (const RecordList& list : record_lists()) {
    std::set<std::string_view> names;
    Settings settings;
    list.resize(settings, 2);
    EXPECT_EQ(list.size(settings), 2U);
    EXPECT_EQ(list.fields.front().name, "name");
    EXPECT_EQ(find_option(list.name), nullptr);
    for (const Option& field : list.fields) {
      EXPECT_TRUE(names.insert(field.name).second) << field.name;
      EXPECT_TRUE(field.effect.ends_with('.')) << field.name;
      EXPECT_TRUE(field.flag.empty()) << field.name;
      if (follows_option(field)) {
        EXPECT_EQ(find_option(field.default_text)->type, field.type) << field.name;
        EXPECT_EQ(find_option(field.default_text)->choices, field.choices) << field.name;
      }
    }
  }
}

}  // namespace
}  // namespace slipstream::config
