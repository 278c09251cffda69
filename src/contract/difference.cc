#include "contract/difference.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "contract/preimage.h"
#include "http/head.h"

namespace slipstream::contract {
namespace {

// Takes a preimage apart in the order of docs/formats/key.md.
class PreimageReader {
 public:
  explicit PreimageReader(std::string_view preimage) : rest_(preimage) {}

  std::string_view part() { return take(count()); }
  std::vector<http::Head::Field> fields() {
    std::vector<http::Head::Field> fields(count());
    for (auto& field : fields) {
      field.name = part();
      field.value = part();
    }
    return fields;
  }
  std::string_view take(std::size_t size) {
    SLIP_CHECK(size <= rest_.size());
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

 private:
  std::size_t count() {
    std::size_t count = 0;
    for (const char byte : take(4)) count = count << 8 | static_cast<unsigned char>(byte);
    return count;
  }

  std::string_view rest_;
};

std::string quoted(std::string_view name) {
  return "`" + std::string(name) + "`";
}

std::string at_byte(std::string_view a, std::string_view b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t same = 0;
  while (same < shorter && a[same] == b[same]) ++same;
  std::string text = " differs at byte ";
  append_decimal(text, same);
  return text;
}

// Fields sorted by name: the first one that the other side has not, or has differently.
std::string differing_field(const std::vector<http::Head::Field>& a,
                            const std::vector<http::Head::Field>& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const bool only_a = i >= b.size() || (i < a.size() && a[i].name < b[i].name);
    if (only_a) return "header " + quoted(a[i].name) + " is only in A";
    if (i >= a.size() || b[i].name < a[i].name)
      return "header " + quoted(b[i].name) + " is only in B";
    if (a[i].value != b[i].value)
      return "header " + quoted(a[i].name) + at_byte(a[i].value, b[i].value);
  }
  return {};
}

// A part that a route, an operator or the request line gives.
struct NamedPart {
  std::string_view name;
  enum class Shown { kYes, kNo } shown;
};
constexpr std::array<NamedPart, 8> kParts = {{
    {"the version of the key", NamedPart::Shown::kYes},
    {"the credential", NamedPart::Shown::kNo},
    {"the route", NamedPart::Shown::kYes},
    {"the pool", NamedPart::Shown::kYes},
    {"the epoch", NamedPart::Shown::kYes},
    {"the method", NamedPart::Shown::kYes},
    {"the path", NamedPart::Shown::kYes},
    {"the query", NamedPart::Shown::kNo},
}};

std::string differing_part(const NamedPart& part, std::string_view a, std::string_view b) {
  if (a == b) return {};
  if (part.shown == NamedPart::Shown::kNo) return std::string(part.name) + " is not the same";
  const auto value = [](std::string_view text) { return text.empty() ? "absent" : quoted(text); };
  return std::string(part.name) + " is " + value(a) + " in A and " + value(b) + " in B";
}

}  // namespace

std::string first_difference(std::string_view a, std::string_view b) {
  if (a == b) return {};
  PreimageReader in_a(a);
  PreimageReader in_b(b);
  std::string found;
  for (const NamedPart& part : kParts) {
    found = differing_part(part, in_a.part(), in_b.part());
    if (!found.empty()) return found;
  }
  for (int list = 0; list < 2; ++list) {  // keyed fields, then x-slipstream-vary
    found = differing_field(in_a.fields(), in_b.fields());
    if (!found.empty()) return found;
  }
  if (in_a.part() != in_b.part())
    return "the group of " + quoted("x-slipstream-coalesce") + " is not the same";
  const std::string_view form = in_a.take(1);
  if (form != in_b.take(1)) return "the body is content-encoded in only one of them";
  const std::string_view body_a = in_a.part();
  const std::string_view body_b = in_b.part();
  return form == "j" ? first_body_difference(body_a, body_b) : "the body" + at_byte(body_a, body_b);
}

}  // namespace slipstream::contract
