// What the contract tests share: request heads from text, and one-call examination.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "contract/contract.h"
#include "http/parser.h"

namespace slipstream::contract {

// `lines`: request line and fields, without Host and Content-Length.
inline http::Head head_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\r\n";
  text += "Host: test\r\nContent-Length: 1\r\n\r\n";
  http::Parser parser(http::Parser::Kind::kRequest, http::Limits{});
  std::string_view input = text;
  EXPECT_EQ(parser.next(input), http::Parser::Step::kHead) << text;
  return parser.take_head();
}

inline http::Head post_head(const std::string& path, std::vector<std::string> fields = {}) {
  fields.insert(fields.begin(), "POST " + path + " HTTP/1.1");
  return head_of(fields);
}

// A path at which the surface is found.
inline std::string path_of(Surface surface) {
  return surface == Surface::kPassThrough ? "/" : paths_of(surface).front();
}

inline http::Head chat_head(std::vector<std::string> fields = {}) {
  return post_head("/v1/chat/completions", std::move(fields));
}

// A form with these parts, each a name and its content; `file` is a file.
inline constexpr std::string_view kFormType = "content-type: multipart/form-data; boundary=B";
inline std::string form_of(const std::vector<std::pair<std::string, std::string>>& parts,
                           const std::string& boundary = "B") {
  std::string body;
  for (const auto& [name, content] : parts) {
    body += "--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + name + "\"";
    if (name == "file") body += "; filename=\"a.wav\"\r\nContent-Type: audio/wav";
    body += "\r\n\r\n" + content + "\r\n";
  }
  return body + "--" + boundary + "--\r\n";
}

// A contract and the memory it points into.
struct Examined {
  std::unique_ptr<Examiner> examiner;
  std::string body;
  Contract contract;
  std::string fault;  // not empty: refused

  Key key() const { return contract.key; }
  std::string reason() const { return std::string(to_string(contract.verdict.reason)); }
  bool shareable() const { return contract.verdict.shareable; }
};

inline Examined examined(const http::Head& head, std::string body, const Policy& policy = {},
                         std::string_view secret = "secret") {
  Examined result{std::make_unique<Examiner>(secret), std::move(body), {}, ""};
  const Scope scope = result.examiner->scope_of(head);
  auto contract = result.examiner->examine(surface_of(head.method(), head.path()), head,
                                           result.body, scope, policy);
  if (contract) {
    result.contract = *std::move(contract);
  } else {
    result.fault = contract.error().message;
  }
  return result;
}

}  // namespace slipstream::contract
