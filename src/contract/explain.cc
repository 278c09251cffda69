#include "contract/explain.h"

#include "base/text.h"
#include "contract/difference.h"
#include "contract/headers.h"
#include "http/write.h"
#include "json/escape.h"

namespace slipstream::contract {
namespace {

constexpr std::size_t kProofFieldMax = 256;

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
  std::string finish() && { return std::move(out_) + "\n}"; }

 private:
  std::string out_;
};

std::string object_of(const Explanation& one) {
  Lines lines;
  lines.text("surface", one.surface);
  lines.text("method", one.method);
  lines.text("path", one.path);
  one.key.empty() ? lines.raw("key", "null") : lines.text("key", one.key);
  lines.truth("shareable", one.shareable);
  lines.text("reason", one.reason);
  lines.text("proof", one.proof);
  lines.truth("sampled_only", one.sampled_only);
  lines.truth("streamed", one.streamed);
  lines.text("model", one.model);
  std::string max_age = "null";
  if (one.max_age_s) append_decimal(max_age = "", *one.max_age_s);
  lines.raw("max_age_s", max_age);
  std::string names = "[";
  for (const std::string& name : one.keyed_headers) {
    if (names.size() > 1) names += ", ";
    json::append_quoted(names, name);
  }
  lines.raw("keyed_headers", names + "]");
  lines.raw("canonical", one.canonical_body.empty() ? "null" : one.canonical_body);
  return std::move(lines).finish();
}

std::string lower_first(std::string text) {
  if (!text.empty()) text.front() = ascii_lower(text.front());
  return text;
}

}  // namespace

Explanation explain_pass_through(const http::Head& head) {
  Explanation one;
  one.surface = to_string(Surface::kPassThrough);
  one.method = head.method();
  one.path = head.target();
  one.reason = to_string(Reason::kSurface);
  one.proof = "The path has no contract: it passes through, for this caller alone.";
  return one;
}

Explanation explain(const http::Head& head, const Contract& contract) {
  Explanation one;
  one.surface = to_string(surface_of(head.method(), head.path()));
  one.method = head.method();
  one.path = head.target();
  one.key = contract.key.full_hex();
  one.shareable = contract.verdict.shareable;
  one.reason = to_string(contract.verdict.reason);
  one.proof = contract.verdict.proof.text();
  one.sampled_only = contract.sampled_only;
  one.streamed = contract.streamed;
  one.model = contract.model;
  one.max_age_s = contract.max_age_s;
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    const std::string_view name = head.field(i).name;
    if (role_of(name) == HeaderRole::kKeyed || name == "x-slipstream-vary")
      one.keyed_headers.emplace_back(name);
  }
  one.preimage = contract.canonical;
  one.canonical_body = contract.canonical_body;
  return one;
}

Comparison compare(const Explanation& a, const Explanation& b) {
  // Without a contract nothing is keyed, so there is nothing to compare.
  if (a.key.empty() || b.key.empty()) return {false, a.key.empty() ? a.proof : b.proof};
  const std::string difference = first_difference(a.preimage, b.preimage);
  if (!difference.empty()) return {false, difference + '.'};
  if (a.shareable && b.shareable) return {true, "the keys are equal, and " + lower_first(a.proof)};
  const char* const who = a.shareable ? "B" : b.shareable ? "A" : "each";
  return {false, std::string("the keys are equal, but ") + who + " runs alone (" +
                     (a.shareable ? b : a).reason +
                     "): " + lower_first((a.shareable ? b : a).proof)};
}

std::string explain_json(const Explanation& one) {
  return object_of(one) + '\n';
}

std::string compare_json(const Explanation& a, const Explanation& b) {
  const Comparison comparison = compare(a, b);
  Lines lines;
  lines.truth("share", comparison.share);
  lines.text("why", comparison.why);
  lines.raw("a", object_of(a));
  lines.raw("b", object_of(b));
  return std::move(lines).finish() + '\n';
}

std::string explain_text(const Explanation& one) {
  std::string text;
  const auto line = [&text](std::string_view name, std::string_view value) {
    text += name;
    text.append(11 - name.size(), ' ');
    text += value;
    text += '\n';
  };
  line("shareable", one.shareable ? "yes" : "no");
  line("reason", one.reason);
  line("proof", one.proof);
  line("key", one.key.empty() ? "none" : one.key);
  std::string request = one.method + ' ' + one.path + " (" + one.surface;
  request += one.streamed ? ", streamed)" : ")";
  line("request", request);
  if (!one.model.empty()) line("model", one.model);
  if (one.max_age_s) {
    std::string age = "joins only what runs for at most ";
    append_decimal(age, *one.max_age_s);
    line("max-age", age + " s");
  }
  std::string names;
  for (const std::string& name : one.keyed_headers) names += (names.empty() ? "" : ", ") + name;
  if (!names.empty()) line("headers", "in the key: " + names);
  return text;
}

std::string explain_fields(const Key& key, const Proof& proof) {
  // An RFC 8941 string: printable ASCII, two characters behind a backslash.
  std::string quoted = "\"";
  for (const char c : proof.text()) {
    if (quoted.size() + 3 > kProofFieldMax) break;
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c >= ' ' && c <= '~' ? c : '?';
  }
  std::string fields;
  http::append_field(fields, "x-slipstream-key", key.short_hex());
  http::append_field(fields, "x-slipstream-proof", quoted + '"');
  return fields;
}

}  // namespace slipstream::contract
