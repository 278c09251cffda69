#include "contract/preimage.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace slipstream::contract {
namespace {

// One byte for the form and four for the length, filled in when the body is known.
constexpr std::size_t kBodyHeader = 5;

void put_count(char* out, std::size_t count) {
  SLIP_CHECK(count <= std::numeric_limits<std::uint32_t>::max());
  for (int i = 0; i < 4; ++i) out[i] = static_cast<char>(count >> (24 - 8 * i));
}

void append_count(std::string& out, std::size_t count) {
  char bytes[4];
  put_count(bytes, count);
  out.append(bytes, sizeof bytes);
}

void append_part(std::string& out, std::string_view part) {
  append_count(out, part.size());
  out.append(part);
}

void append_fields(std::string& out, std::vector<http::Head::Field>& fields) {
  // The order of fields with different names means nothing (RFC 9110 section 5.3); within a name it
  // does. Stable by hand: std::stable_sort allocates.
  for (auto field = fields.begin(); field != fields.end(); ++field) {
    const auto place =
        std::upper_bound(fields.begin(), field, *field,
                         [](const auto& a, const auto& b) { return a.name < b.name; });
    std::rotate(place, field, field + 1);
  }
  append_count(out, fields.size());
  for (const auto& field : fields) {
    append_part(out, field.name);
    append_part(out, field.value);
  }
}

template <typename Predicate>
void collect(const http::Head& head, std::vector<http::Head::Field>& fields, Predicate wanted) {
  fields.clear();
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    if (wanted(head.field(i).name)) fields.push_back(head.field(i));
  }
}

}  // namespace

void append_prefix(std::string& out, const http::Head& head, const Scope& scope,
                   const Policy& policy, std::string_view group,
                   std::vector<http::Head::Field>& scratch) {
  append_part(out, kVersionTag);
  append_part(out, {reinterpret_cast<const char*>(scope.bytes.data()), scope.bytes.size()});
  append_part(out, policy.route);
  append_part(out, policy.pool);
  append_part(out, policy.epoch);
  append_part(out, head.method());
  append_part(out, head.path());
  append_part(out, head.target().substr(head.path().size()));  // with its '?'
  collect(head, scratch, [](std::string_view name) { return role_of(name) == HeaderRole::kKeyed; });
  append_fields(out, scratch);
  collect(head, scratch, [](std::string_view name) { return name == "x-slipstream-vary"; });
  append_fields(out, scratch);
  append_part(out, group);
  out.append(kBodyHeader, '\0');
}

void seal_body(std::string& out, std::size_t prefix_size, BodyForm form) {
  char* const header = out.data() + prefix_size - kBodyHeader;
  header[0] = form == BodyForm::kCanonicalJson ? 'j' : 'r';
  put_count(header + 1, out.size() - prefix_size);
}

void append_credentials(std::string& out, const http::Head& head,
                        std::vector<http::Head::Field>& scratch) {
  collect(head, scratch,
          [](std::string_view name) { return role_of(name) == HeaderRole::kCredential; });
  if (!scratch.empty()) append_fields(out, scratch);
}

}  // namespace slipstream::contract
