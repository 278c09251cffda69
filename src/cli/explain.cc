// slipstream explain
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "cli/cli.h"
#include "cli/request_head.h"
#include "contract/contract.h"
#include "contract/explain.h"

namespace slipstream::cli {

namespace {

// As cmp and grep have it: 0 yes, 1 no, 2 trouble.
enum ExitCode { kYes = 0, kNo = 1, kTrouble = 2 };

struct ExplainFlags {
  std::string a;
  std::string b;  // empty: one request
  std::string path{kDefaultPath};
  std::vector<std::string> headers;
  std::vector<std::string> headers_a;
  std::vector<std::string> headers_b;
  bool share_sampled = false;
  bool seed_honoured = false;
  bool json = false;
};

struct Trouble {
  enum class Where { kUsage, kFile } where;
  std::string message;
};
using Explained = Result<contract::Explanation, Trouble>;

Result<std::string, Trouble> read_all(const std::string& file) {
  std::ostringstream text;
  if (file == "-") {
    text << std::cin.rdbuf();
    return std::move(text).str();
  }
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file))
    return Failure{Trouble{Trouble::Where::kFile, "cannot read " + file}};
  text << in.rdbuf();
  return std::move(text).str();
}

// `own`: header fields of this request alone.
Explained explain_file(const ExplainFlags& flags, const std::string& file,
                       const std::vector<std::string>& own) {
  const auto body = read_all(file);
  if (!body) return Failure{body.error()};
  std::string fields = "content-type: application/json\r\n";
  for (const auto* list : {&flags.headers, &own}) {
    for (const std::string& header : *list) fields += header + "\r\n";
  }
  const auto head = request_head(flags.path, fields, body->size());
  if (!head) {
    return Failure{Trouble{Trouble::Where::kUsage,
                           "--path or a --header is not valid HTTP: " + head.error().message}};
  }
  const contract::Surface surface = contract::surface_of(head->method(), head->path());
  if (surface == contract::Surface::kPassThrough) return contract::explain_pass_through(*head);
  contract::Policy policy;
  policy.share_sampled = flags.share_sampled;
  policy.seed_honoured = flags.seed_honoured;
  // A constant secret: keys of two files can be compared with each other, not with a running
  // gateway's.
  contract::Examiner examiner("explain");
  const auto examined = examiner.examine(surface, *head, *body, examiner.scope_of(*head), policy);
  if (!examined) {
    return Failure{Trouble{Trouble::Where::kFile,
                           file + " would be refused with 400: " + examined.error().message}};
  }
  return contract::explain(*head, *examined);
}

int troubled(const Trouble& trouble) {
  if (trouble.where == Trouble::Where::kUsage) return misused("explain", trouble.message);
  fail(trouble.message);
  return kTrouble;
}

void print_pair(const ExplainFlags& flags, const contract::Explanation& a,
                const contract::Explanation& b, const contract::Comparison& comparison) {
  std::printf("A: %s\n%s\nB: %s\n%s\n", flags.a.c_str(), contract::explain_text(a).c_str(),
              flags.b.c_str(), contract::explain_text(b).c_str());
  std::printf("%s: %s\n", comparison.share ? "They share" : "They do not share",
              comparison.why.c_str());
}

int explain(const ExplainFlags& flags) {
  if (flags.a == "-" && flags.b == "-")
    return misused("explain", "standard input can be only one of two requests");
  const Explained a = explain_file(flags, flags.a, flags.headers_a);
  if (!a) return troubled(a.error());
  if (flags.b.empty()) {
    std::fputs((flags.json ? contract::explain_json(*a) : contract::explain_text(*a)).c_str(),
               stdout);
    return a->shareable ? kYes : kNo;
  }
  const Explained b = explain_file(flags, flags.b, flags.headers_b);
  if (!b) return troubled(b.error());
  const contract::Comparison comparison = contract::compare(*a, *b);
  if (flags.json) {
    std::fputs(contract::compare_json(*a, *b).c_str(), stdout);
  } else {
    print_pair(flags, *a, *b, comparison);
  }
  return comparison.share ? kYes : kNo;
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("explain", "would a request be shared, would two share, and why");
  auto flags = std::make_shared<ExplainFlags>();
  command->add_option("A", flags->a, "body of a request; - reads standard input")->required();
  command->add_option("B", flags->b, "body of another: would it join A, and if not, what differs");
  command->add_option("--path", flags->path, "where the requests are sent")->capture_default_str();
  const auto add_headers = [&](const char* name, std::vector<std::string>& to, const char* help) {
    command->add_option(name, to, help)->allow_extra_args(false);
  };
  add_headers("--header", flags->headers, "request header 'name: value'; may be repeated");
  add_headers("--header-a", flags->headers_a, "a header of A alone");
  add_headers("--header-b", flags->headers_b, "a header of B alone");
  command->add_flag("--share-sampled", flags->share_sampled,
                    "as if the route shared sampled requests");
  command->add_flag("--seed-honoured", flags->seed_honoured, "as if the backend honoured seeds");
  command->add_flag("--json", flags->json, "report as JSON, with the canonical body");
  command->footer(
      "Examples:\n"
      "  slipstream explain request.json\n"
      "  slipstream explain monday.json tuesday.json --header-b 'openai-beta: x'\n"
      "  echo '{\"model\":\"m\",\"temperature\":0,\"messages\":[]}' | slipstream explain -\n"
      "Exit code 0: shareable, or the two share; 1: not; 2: wrong usage or a malformed body.\n"
      "A running gateway says the same of its own configuration: POST the request to "
      "/explain?path=PATH on\n"
      "the admin address, or send a caller's request with 'x-slipstream-explain: 1'. Its keys are "
      "its own, and\n"
      "cover headers: give what the client sends, for curl --header 'accept: */*'.");
  command->callback([flags, &action] { action = [flags] { return explain(*flags); }; });
}

}  // namespace slipstream::cli
