#include "contract/explain.h"

#include "base/text.h"
#include "contract/headers.h"
#include "json/escape.h"

namespace slipstream::contract {
namespace {

// Members of one object, one a line.
class Lines {
 public:
  void raw(std::string_view name, std::string_view json) {
    out_ += out_.empty() ? "{\n  " : ",\n  ";
    json::append_quoted(out_, name);
    out_ += ": ";
    out_ += json;
  }
  void text(std::string_view name, std::string_view value) {
    std::string quoted;
    json::append_quoted(quoted, value);
    raw(name, quoted);
  }
  void truth(std::string_view name, bool value) { raw(name, value ? "true" : "false"); }
  std::string finish() && { return std::move(out_) + "\n}\n"; }

 private:
  std::string out_;
};

std::string keyed_headers(const http::Head& head) {
  std::string out;
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    const std::string_view name = head.field(i).name;
    if (role_of(name) != HeaderRole::kKeyed && name != "x-slipstream-vary") continue;
    out += out.empty() ? "[" : ", ";
    json::append_quoted(out, name);
  }
  return out.empty() ? "[]" : out + "]";
}

}  // namespace

std::string explain_json(const Contract& contract, const http::Head& head) {
  const Verdict& verdict = contract.verdict;
  Lines lines;
  lines.text("surface", to_string(surface_of(head.method(), head.path())));
  lines.text("method", head.method());
  lines.text("path", head.path());
  lines.text("key", contract.key.full_hex());
  lines.truth("shareable", verdict.shareable);
  lines.text("reason", to_string(verdict.reason));
  lines.text("proof", verdict.proof.text());
  lines.truth("sampled_only", contract.sampled_only);
  lines.truth("streamed", contract.streamed);
  lines.text("model", contract.model);
  std::string max_age = "null";
  if (contract.max_age_s) append_decimal(max_age = "", *contract.max_age_s);
  lines.raw("max_age_s", max_age);
  lines.raw("keyed_headers", keyed_headers(head));
  lines.raw("canonical", contract.canonical_body.empty() ? "null" : contract.canonical_body);
  return std::move(lines).finish();
}

}  // namespace slipstream::contract
