// slipstream explain
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "cli/chat_head.h"
#include "cli/cli.h"
#include "contract/contract.h"
#include "contract/explain.h"

namespace slipstream::cli {

namespace {

struct ExplainFlags {
  std::string file;
  std::vector<std::string> headers;
  bool share_sampled = false;
  bool seed_honoured = false;
};

int explain(const ExplainFlags& flags) {
  std::ostringstream text;
  if (flags.file == "-") {
    text << std::cin.rdbuf();
  } else {
    if (std::filesystem::is_directory(flags.file)) return fail(flags.file + " is a directory");
    std::ifstream file(flags.file);
    if (!file) return fail("cannot read " + flags.file);
    text << file.rdbuf();
  }
  const std::string body = text.str();
  std::string fields = "content-type: application/json\r\n";
  for (const std::string& header : flags.headers) fields += header + "\r\n";
  auto head = chat_head(fields, body.size());
  if (!head)
    return misused("explain", "a --header is not a valid HTTP field: " + head.error().message);
  contract::Policy policy;
  policy.share_sampled = flags.share_sampled;
  policy.seed_honoured = flags.seed_honoured;
  // A constant secret: keys of two files can be compared with each other, not with a running
  // gateway's.
  contract::Examiner examiner("explain");
  const auto examined = examiner.examine(contract::Surface::kChatCompletions, *head, body,
                                         examiner.scope_of(*head), policy);
  if (!examined)
    return fail(flags.file + " would be refused with 400: " + examined.error().message);
  std::fputs(contract::explain_json(*examined, *head).c_str(), stdout);
  return 0;
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("explain", "say whether a request would be shared, and why");
  auto flags = std::make_shared<ExplainFlags>();
  command->add_option("file", flags->file, "JSON body of a chat request; - reads standard input")
      ->required();
  command->add_option("--header", flags->headers, "request header 'name: value'; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--share-sampled", flags->share_sampled,
                    "as if the route shared sampled requests");
  command->add_flag("--seed-honoured", flags->seed_honoured, "as if the backend honoured seeds");
  command->footer(
      "Examples:\n"
      "  slipstream explain request.json\n"
      "  echo '{\"model\":\"m\",\"temperature\":0,\"messages\":[]}' | slipstream explain -\n"
      "The same as POST /explain on the admin address, without a gateway. The key covers headers "
      "too: to\n"
      "compare with a client's, give what it sends, for curl --header 'accept: */*'.");
  command->callback([flags, &action] { action = [flags] { return explain(*flags); }; });
}

}  // namespace slipstream::cli
