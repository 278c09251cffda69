#include "contract/preimage.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/check.h"

namespace slipstream::contract {
namespace {

constexpr std::size_t kCount = 4;  // bytes of a length or count, big endian
// One byte for the form and a length, filled in when the body is known.
constexpr std::size_t kBodyHeader = 1 + kCount;

using Fields = std::vector<http::Head::Field>;

char* put_count(char* out, std::size_t count) {
  SLIP_CHECK(count <= std::numeric_limits<std::uint32_t>::max());
  for (std::size_t i = 0; i < kCount; ++i) out[i] = static_cast<char>(count >> (24 - 8 * i));
  return out + kCount;
}

char* put_part(char* out, std::string_view part) {
  out = put_count(out, part.size());
  return std::copy(part.begin(), part.end(), out);
}

// The order of fields with different names means nothing (RFC 9110 section 5.3); within a name it
// does. Stable by hand: std::stable_sort allocates.
void sort_by_name(Fields& fields) {
  const auto before = [](const auto& a, const auto& b) { return a.name < b.name; };
  if (std::is_sorted(fields.begin(), fields.end(), before)) return;
  for (auto field = fields.begin(); field != fields.end(); ++field) {
    std::rotate(std::upper_bound(fields.begin(), field, *field, before), field, field + 1);
  }
}

std::size_t size_of(const Fields& fields) {
  std::size_t size = kCount;
  for (const auto& field : fields) size += 2 * kCount + field.name.size() + field.value.size();
  return size;
}

char* put_fields(char* out, const Fields& fields) {
  out = put_count(out, fields.size());
  for (const auto& field : fields) out = put_part(put_part(out, field.name), field.value);
  return out;
}

}  // namespace

void append_prefix(std::string& out, const http::Head& head, const Scope& scope,
                   const Policy& policy, HeadReading& reading) {
  const std::string_view path = head.path();
  const std::array<std::string_view, 8> parts = {
      kVersionTag,
      {reinterpret_cast<const char*>(scope.bytes.data()), scope.bytes.size()},
      policy.route,
      policy.pool,
      policy.epoch,
      head.method(),
      path,
      head.target().substr(path.size()),  // with its '?'
  };
  const std::string_view group = reading.wishes.group;
  sort_by_name(reading.keyed);

  std::size_t size = size_of(reading.keyed) + size_of(reading.vary) + kBodyHeader;
  size += (parts.size() + 1) * kCount + group.size();
  for (const std::string_view part : parts) size += part.size();
  const std::size_t old_size = out.size();
  out.resize(old_size + size);  // measured first: appending part by part costs three times as much

  char* end = out.data() + old_size;
  for (const std::string_view part : parts) end = put_part(end, part);
  end = put_fields(end, reading.keyed);
  end = put_fields(end, reading.vary);
  end = put_part(end, group);
  SLIP_CHECK(end + kBodyHeader == out.data() + out.size());
}

void seal_body(std::string& out, std::size_t prefix_size, BodyForm form) {
  char* const header = out.data() + prefix_size - kBodyHeader;
  constexpr std::string_view kLetters = "jmr";
  header[0] = kLetters[static_cast<std::size_t>(form)];
  put_count(header + 1, out.size() - prefix_size);
}

void append_form(std::string& out, std::span<const FormPart> parts) {
  std::size_t size = kCount;
  for (const FormPart& part : parts) size += 2 * kCount + part.head.size() + part.content.size();
  const std::size_t old_size = out.size();
  out.resize(old_size + size);
  char* end = put_count(out.data() + old_size, parts.size());
  for (const FormPart& part : parts) end = put_part(put_part(end, part.head), part.content);
}

void append_credentials(std::string& out, const http::Head& head, Fields& scratch) {
  scratch.clear();
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    const http::Head::Field field = head.field(i);
    if (is_credential(field.name)) scratch.push_back(field);
  }
  if (scratch.empty()) return;
  sort_by_name(scratch);
  const std::size_t old_size = out.size();
  out.resize(old_size + size_of(scratch));
  put_fields(out.data() + old_size, scratch);
}

}  // namespace slipstream::contract
