// slipstream hash-key
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <memory>

#include "cli/cli.h"
#include "cli/config_file.h"
#include "config/load.h"
#include "config/tenant_key.h"

namespace slipstream::cli {

namespace {

int hash_key(const std::string& config_file) {
  const auto loaded = load_config(config_file, {});
  if (!loaded) return fail(loaded.error().message);
  const Secret& secret = loaded->settings.scope.secret;
  if (secret.empty()) {
    return fail(
        "scope.secret is not set, and the hash is made with it: give SLIPSTREAM_SCOPE_SECRET or a "
        "--config that has it");
  }
  std::string key;
  std::getline(std::cin, key);
  // The shape of a hash is no key: it would be hashed again and never match.
  if (!config::is_tenant_key(key) || config::is_key_hash(key)) {
    return fail(
        "standard input must hold one key of 8 to 1024 bytes without control characters, and "
        "not a hash");
  }
  HmacSha256 mac(secret.reveal());
  std::printf("%s\n", config::format_key_hash(config::hash_of_key(mac, key)).c_str());
  return 0;
}

}  // namespace

void add_hash_key(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "hash-key", "read a tenant's key from standard input, print what may stand in a file for it");
  auto config_file = std::make_shared<std::string>();
  command->add_option("--config", *config_file, "YAML file that holds scope.secret");
  command->footer(
      "Examples:\n"
      "  slipstream hash-key --config slipstream.yaml < key.txt\n"
      "  echo \"$KEY\" | SLIPSTREAM_SCOPE_SECRET=\"$SECRET\" slipstream hash-key\n"
      "The result goes into tenants[].keys. It is only worth something together with the same\n"
      "scope.secret; a new secret needs new hashes.");
  command->callback(
      [config_file, &action] { action = [config_file] { return hash_key(*config_file); }; });
}

}  // namespace slipstream::cli
