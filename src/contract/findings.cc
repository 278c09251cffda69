#include "contract/findings.h"

#include <algorithm>

#include "base/check.h"
#include "json/reader.h"

namespace slipstream::contract {
namespace {

using json::Kind;
using json::Member;

// null and false ask for nothing: the field is in the key and does not act.
bool is_inert(const Member& member) {
  return member.kind == Kind::kNull || member.kind == Kind::kFalse;
}

void note(const Member*& slot, const Member& member) {
  if (slot == nullptr) slot = &member;
}

void note_content(Findings& found, const Member& member) {
  const auto free = std::ranges::find(found.contents, nullptr);
  SLIP_CHECK(free != found.contents.end());  // no table has more
  *free = &member;
}

void note_part(Findings& found, const Member& member, Part part) {
  switch (part) {
    case Part::kTemperature:
      return note(found.temperature, member);
    case Part::kTopK:
      return note(found.top_k, member);
    case Part::kSeed:
      return note(found.seed, member);
    case Part::kPrompt:
      return note(found.prompt, member);
    case Part::kContent:
      return note_content(found, member);
    case Part::kTools:
      return note(found.tools, member);
    case Part::kOutputs:
      if (member.value != R"(["text"])") note(found.outputs, member);
      return;
    case Part::kKeepAlive:
      // 0, "0", "0s", 0.0: no digit but zeros.
      if (member.value.find_first_of("123456789") == std::string_view::npos) {
        note(found.keep_alive, member);
      }
      return;
    case Part::kModel:
      return note(found.model, member);
    case Part::kStream:
      found.stream_asked |= member.kind == Kind::kTrue;
      return;
    case Part::kOther:
    case Part::kStore:
      return;
  }
}

void note_row(Findings& found, const Member& member, const FieldRow& row) {
  if (is_inert(member)) {
    found.store_declined |= row.part == Part::kStore && member.kind == Kind::kFalse;
    found.stream_declined |= row.part == Part::kStream && member.kind == Kind::kFalse;
    return;
  }
  if (row.field_class == FieldClass::kEffect && row.part != Part::kStore) {
    note(found.effect, member);
  }
  if (row.field_class == FieldClass::kClock) note(found.clock, member);
  if (row.sampling == Sampling::kOverridesGreedy) note(found.overrides_greedy, member);
  if (row.sampling == Sampling::kOpaque) note(found.opaque, member);
  if (row.part != Part::kOther) note_part(found, member, row.part);
}

// A member of a nested object outlives the reader that found it only if it is kept.
const Member* keep(NestedMembers& nested, const Member& member) {
  if (nested.count == nested.all.size()) return nullptr;
  return &(nested.all[nested.count++] = member);
}

void look_inside(Findings& found, NestedMembers& nested, const Member& object,
                 const FieldTable& table) {
  if (is_inert(object)) return;
  if (object.kind != Kind::kObject) return note(found.unknown, object);
  for (json::Members members(object.value); members.next();) {
    const std::string_view value = members.value();
    const Member member{members.name(), value, value, *json::kind_of(value)};
    const FieldRow* const row = table.find(member.name);
    if (row != nullptr && row->part == Part::kOther) continue;
    const Member* const kept = keep(nested, member);
    if (kept == nullptr || row == nullptr) {
      note(found.unknown, kept == nullptr ? object : *kept);
    } else {
      note_row(found, *kept, *row);
    }
  }
}

}  // namespace

Findings look_at(std::span<const Member> members, Surface surface, const Policy& policy,
                 NestedMembers& nested) {
  Findings found;
  nested.count = 0;
  const FieldTable& table = fields_of(surface);
  for (const Member& member : members) {
    const FieldRow* const row = table.find(member.name);
    if (row == nullptr) {
      if (std::ranges::find(policy.harmless_fields, member.name) == policy.harmless_fields.end()) {
        note(found.unknown, member);
      }
    } else if (row->ignored.contains(policy.profile)) {
      ++found.ignored;
    } else {
      note_row(found, member, *row);
      if (row->nested != Nested::kNone) {
        look_inside(found, nested, member, fields_of(row->nested));
      }
    }
  }
  return found;
}

bool is_ignored(const Member& member, Surface surface, const Policy& policy) {
  const FieldRow* const row = fields_of(surface).find(member.name);
  return row != nullptr && row->ignored.contains(policy.profile);
}

}  // namespace slipstream::contract
