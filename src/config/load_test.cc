#include "config/load.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "config/options.h"
#include "config/value.h"

namespace slipstream::config {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

LoadInput from(std::string yaml, Variables variables = {},
               std::vector<std::pair<std::string, std::string>> flags = {}) {
  LoadInput input;
  input.yaml_text = std::move(yaml);
  input.yaml_name = "gw.yaml";
  input.environment = [variables](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
  input.flags = std::move(flags);
  return input;
}

Loaded loaded(const LoadInput& input) {
  auto result = load(input);
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

void expect_error(const LoadInput& input, ConfigFault fault, const std::string& message) {
  const auto result = load(input);
  ASSERT_FALSE(result) << "expected: " << message;
  EXPECT_EQ(result.error().fault, fault);
  EXPECT_EQ(result.error().message, message);
}

TEST(Load, DefaultsAreTheDesigns) {
  const Settings s = loaded({}).settings;
  EXPECT_EQ(s.listen, (Address{"127.0.0.1", 8080}));
  EXPECT_EQ(s.admin, (Address{"127.0.0.1", 9090}));
  EXPECT_EQ(s.upstream.url, (Url{false, {"127.0.0.1", 8000}, ""}));
  EXPECT_EQ(s.limits.body_bytes, 16U << 20);
  EXPECT_EQ(s.coalesce.sampled, Sampled::kSeparate);
  EXPECT_EQ(s.coalesce.grace_max, Milliseconds(2000));
  EXPECT_EQ(s.coalesce.grace_share, 10U);
  EXPECT_EQ(s.replay.total_bytes_max, 1ULL << 30);
  EXPECT_EQ(s.retry.after_max, Milliseconds(5000));
  EXPECT_EQ(s.request.deadline_header, "x-slipstream-deadline");
  EXPECT_EQ(s.log.level, LogLevel::kInfo);
  EXPECT_TRUE(s.coalesce.harmless_fields.empty());
  EXPECT_TRUE(s.scope.secret.empty());
  EXPECT_TRUE(s.upstream.tls_verify);
}

TEST(Load, LaterLayersWinAndLeaveTheirOrigin) {
  const std::string yaml = "coalesce:\n  grace_max: 3s\n  grace_share: 20\n  followers_max: 5\n";
  const Loaded all = loaded(from(
      yaml, {{"SLIPSTREAM_COALESCE_GRACE_SHARE", "30"}, {"SLIPSTREAM_COALESCE_FOLLOWERS_MAX", "6"}},
      {{"coalesce.followers_max", "7"}, {"--listen", "[::1]:1"}}));
  EXPECT_EQ(all.settings.coalesce.grace_max, Milliseconds(3000));
  EXPECT_EQ(all.settings.coalesce.grace_share, 30U);
  EXPECT_EQ(all.settings.coalesce.followers_max, 7U);
  EXPECT_EQ(describe(origin_of(all, "coalesce.grace_max")), "from gw.yaml:2");
  EXPECT_EQ(describe(origin_of(all, "coalesce.grace_share")),
            "from the environment, SLIPSTREAM_COALESCE_GRACE_SHARE");
  EXPECT_EQ(describe(origin_of(all, "coalesce.followers_max")),
            "from --set coalesce.followers_max");
  EXPECT_EQ(describe(origin_of(all, "listen")), "from --listen");
  EXPECT_EQ(describe(origin_of(all, "workers")), "default");
}

TEST(Load, ListsEnumsAndOff) {
  const Settings s = loaded(from("admin: off\ncoalesce:\n  harmless_fields: [x, y]\n"
                                 "  sampled: share\n",
                                 {}, {{"--log-format", "json"}}))
                         .settings;
  EXPECT_FALSE(s.admin);
  EXPECT_EQ(s.coalesce.harmless_fields, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(s.coalesce.sampled, Sampled::kShare);
  EXPECT_EQ(s.log.format, LogFormat::kJson);
  const Settings e = loaded(from("", {{"SLIPSTREAM_COALESCE_HARMLESS_FIELDS", "a, b"}})).settings;
  EXPECT_EQ(e.coalesce.harmless_fields, (std::vector<std::string>{"a", "b"}));
}

TEST(Load, UnknownNamesAreRefusedWithTheNearest) {
  expect_error(from("listen: a:1\ncoalesce:\n  grace_mex: 1s\n"), ConfigFault::kUnknownOption,
               "gw.yaml:3: unknown option `coalesce.grace_mex`; did you mean "
               "`coalesce.grace_max`?");
  expect_error(from("upstraem:\n  url: http://h\n"), ConfigFault::kUnknownOption,
               "gw.yaml:2: unknown option `upstraem.url`; did you mean `upstream.url`?");
  expect_error(from("zzzzzzzzzzzzzzzzzzzz: 1\n"), ConfigFault::kUnknownOption,
               "gw.yaml:1: unknown option `zzzzzzzzzzzzzzzzzzzz`");
  expect_error(from("--listen: a:1\n"), ConfigFault::kUnknownOption,
               "gw.yaml:1: unknown option `--listen`; did you mean `listen`?");
  expect_error(from("", {}, {{"--lisen", "a:1"}}), ConfigFault::kUnknownOption,
               "command line: unknown option `--lisen`; did you mean `--listen`?");
}

TEST(Load, ValuesAreRefusedWithPlaceAndForm) {
  expect_error(from("coalesce:\n  grace_max: 2\n"), ConfigFault::kBadValue,
               "gw.yaml:2: `coalesce.grace_max` must be a duration such as 30s, 100ms or 5m, 0s to "
               "24h; `2` is not");
  expect_error(from("workers: 65\n"), ConfigFault::kBadValue,
               "gw.yaml:1: `workers` must be a whole number, 0 to 64; `65` is not");
  expect_error(from("", {{"SLIPSTREAM_LOG_LEVEL", "loud"}}), ConfigFault::kBadValue,
               "SLIPSTREAM_LOG_LEVEL: `log.level` must be one of debug, info, warning, error or "
               "off; `loud` is not");
  expect_error(
      from("", {}, {{"--listen", "\x1b[31m"}}), ConfigFault::kBadValue,
      "--listen: `listen` must be an address such as 127.0.0.1:8080 or [::1]:8080; `?[31m` "
      "is not");
  expect_error(from("upstream: http://h\n"), ConfigFault::kBadValue,
               "gw.yaml:1: `upstream` is a section; write its options below it");
  expect_error(from("workers:\n"), ConfigFault::kBadValue,
               "gw.yaml:1: `workers` must be a whole number, 0 to 64; nothing is not");
  expect_error(from("workers: [1]\n"), ConfigFault::kBadValue,
               "gw.yaml:1: `workers` must be a whole number, 0 to 64; `1` is not");
  expect_error(from("epoch: \"a\\nb\"\n"), ConfigFault::kBadValue,
               "gw.yaml:1: `epoch` must be a text without control characters, 0 to 256 bytes; "
               "`a?b` is not");
}

TEST(Load, DuplicatesAndSyntax) {
  expect_error(from("workers: 1\nworkers: 2\n"), ConfigFault::kDuplicate,
               "gw.yaml:2: `workers` stands already in line 1");
  expect_error(from("coalesce: {grace_max: 1s}\ncoalesce.grace_max: 2s\n"), ConfigFault::kDuplicate,
               "gw.yaml:2: `coalesce.grace_max` stands already in line 1");
  const auto broken = load(from("a: [\n"));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().fault, ConfigFault::kSyntax);
}

TEST(Load, VariablesAreSubstitutedOnce) {
  const Variables variables = {{"HOST", "${USER}"}, {"REV", "r7"}};
  EXPECT_EQ(loaded(from("epoch: m-${REV}-${HOST}-$${REV}-$5\n", variables)).settings.epoch,
            "m-r7-${USER}-${REV}-$5");
  expect_error(from("\nepoch: ${NOPE}\n", variables), ConfigFault::kMissingVariable,
               "gw.yaml:2: `epoch`: the environment variable NOPE is not set");
  for (const char* bad : {"epoch: ${\n", "epoch: ${}\n", "epoch: ${a b}\n", "epoch: ${1}\n"}) {
    const auto result = load(from(bad, variables));
    ASSERT_FALSE(result) << bad;
    EXPECT_EQ(result.error().fault, ConfigFault::kMissingVariable) << bad;
  }
}

TEST(Load, ConflictsNameBothOrigins) {
  expect_error(from("tls:\n  key: k.pem\n"), ConfigFault::kConflict,
               "`tls.certificate` (default) and `tls.key` (from gw.yaml:2) must be given both or "
               "not at all");
  for (const char* yaml : {"admin: 127.0.0.1:8080\n", "limits: {head_bytes: 1KiB}\n",
                           "replay: {total_bytes_max: 1MiB}\n", "retry: {backoff_base: 3s}\n"}) {
    const auto result = load(from(yaml));
    ASSERT_FALSE(result) << yaml;
    EXPECT_EQ(result.error().fault, ConfigFault::kConflict) << yaml;
  }
}

TEST(Load, ErrorsNameTheLayerAtFault) {
  const auto source_of = [](const LoadInput& input) { return load(input).error().source; };
  LoadInput file;
  file.yaml_text = "workers: many";
  EXPECT_EQ(source_of(file), Source::kFile);
  LoadInput environment;
  environment.environment = [](std::string_view name) -> std::optional<std::string> {
    if (name == "SLIPSTREAM_WORKERS") return "many";
    return std::nullopt;
  };
  EXPECT_EQ(source_of(environment), Source::kEnvironment);
  LoadInput flags;
  flags.flags = {{"workers", "many"}};
  EXPECT_EQ(source_of(flags), Source::kFlag);
  flags.flags = {{"no.such", "1"}};
  EXPECT_EQ(source_of(flags), Source::kFlag);
  file.yaml_text = "admin: 127.0.0.1:7";
  file.flags = {{"listen", "127.0.0.1:7"}};
  EXPECT_EQ(source_of(file), Source::kFlag) << "the flag made the conflict";
}

TEST(Load, SecretsAreNeverShown) {
  const std::string canary = "canary-canary-canary";
  const Loaded all = loaded(from("scope: {secret: '${KEY}'}\n", {{"KEY", canary}}));
  EXPECT_EQ(all.settings.scope.secret.reveal(), canary);
  EXPECT_EQ(print_config(all).find("canary"), std::string::npos);
  EXPECT_NE(print_config(all).find("secret: \"***\"  # from gw.yaml:1"), std::string::npos);

  for (const LoadInput& input :
       {from("scope: {secret: canary}\n"), from("scope: {secret: [canary-canary-canary]}\n"),
        from("", {{"SLIPSTREAM_SCOPE_SECRET", "canary"}}),
        from("", {}, {{"scope.secret", "canary"}}), from("workers: ${KEY}\n", {{"KEY", canary}}),
        from("upstream: {url: 'http://u:${KEY}@h'}\n", {{"KEY", canary}})}) {
    const auto result = load(input);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message.find("canary"), std::string::npos) << result.error().message;
  }
}

TEST(Load, AMaskedOrEmptySecretIsNotASecret) {
  expect_error(from("scope: {secret: '***'}\n"), ConfigFault::kBadValue,
               "gw.yaml:1: `scope.secret` must be a secret without control characters, 16 to 1024 "
               "bytes; the value given is not");
  EXPECT_FALSE(load(from("scope: {secret: '${KEY}'}\n", {{"KEY", ""}})));
}

TEST(PrintConfig, ReadsBackAsTheSameSettings) {
  const Loaded all =
      loaded(from("admin: off\nepoch: 'a \"b\" \\ ${X}'\ncoalesce:\n"
                  "  harmless_fields: ['a,b', '$${c}']\nreplay: {flush_window: 5ms}\n",
                  {{"X", "${x}"}}));
  const std::string printed = print_config(all);
  const Loaded again = loaded(from(printed));
  EXPECT_EQ(again.settings.epoch, "a \"b\" \\ ${x}");
  EXPECT_EQ(again.settings.coalesce.harmless_fields, (std::vector<std::string>{"a,b", "${c}"}));
  for (const Option& option : options()) {
    EXPECT_EQ(format_value(option, again.settings), format_value(option, all.settings))
        << option.name;
  }
  EXPECT_NE(printed.find("  flush_window: 5ms  # from gw.yaml:5\n"), std::string::npos) << printed;
  EXPECT_NE(printed.find("workers: 0  # default\n"), std::string::npos);
}

TEST(Options, DeclarationsAreSound) {
  std::map<std::string, int> names;
  for (const Option& option : options()) {
    EXPECT_EQ(++names[std::string(option.name)], 1) << option.name;
    EXPECT_EQ(++names[environment_name(option)], 1) << option.name;
    if (!option.flag.empty()) {
      EXPECT_EQ(++names[std::string(option.flag)], 1) << option.flag;
      EXPECT_TRUE(option.flag.starts_with("--")) << option.flag;
    }
    EXPECT_TRUE(option.effect.ends_with('.')) << option.name;
    EXPECT_EQ(option.effect.find('|'), std::string_view::npos) << option.name;
    EXPECT_EQ(option.type == Type::kEnum, !option.choices.empty()) << option.name;
    // Defaults obey their own bounds, except the secret, whose default is to have none.
    Settings settings;
    if (option.type != Type::kSecret) {
      EXPECT_TRUE(assign(option, split_items(option, option.default_text), settings))
          << option.name;
    }
  }
  EXPECT_EQ(environment_name(*find_option("--grace-max")), "SLIPSTREAM_COALESCE_GRACE_MAX");
}

TEST(Reference, CommittedPageIsCurrent) {
  std::ifstream file(SLIPSTREAM_REFERENCE_PAGE);
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_TRUE(page.str() == reference_markdown())
      << "docs/configuration.md is out of date. Regenerate it with:\n"
         "  slipstream config-reference > docs/configuration.md";
}

}  // namespace
}  // namespace slipstream::config
