#include "contract/headers.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/text.h"
#include "contract/contract.h"
#include "contract/name_table.h"
#include "contract/servers.h"

namespace slipstream::contract {
namespace {

// Why a request runs alone.
constexpr std::string_view kNoStore =
    "The request runs alone: the caller sent cache-control: no-store.";
constexpr std::string_view kNoCache =
    "The request runs alone: the caller sent cache-control: no-cache.";
constexpr std::string_view kOff =
    "The request runs alone: the caller sent x-slipstream-coalesce: off.";
constexpr std::string_view kUnreadable =
    "The request runs alone: x-slipstream-coalesce could not be read.";
constexpr std::string_view kTwice = "The request runs alone: x-slipstream-coalesce was sent twice.";
constexpr std::string_view kDropsWhatMatters =
    "The request runs alone: connection names a field that matters.";

// Takes the next comma-separated element off `list`, minding quoted strings (RFC 9110 5.6).
std::string_view take_element(std::string_view& list) {
  bool quoted = false;
  std::size_t i = 0;
  for (; i < list.size() && (quoted || list[i] != ','); ++i) {
    if (list[i] == '"') quoted = !quoted;
    if (quoted && list[i] == '\\') ++i;
  }
  i = std::min(i, list.size());
  const std::string_view element = trim(list.substr(0, i));
  list.remove_prefix(std::min(i + 1, list.size()));
  return element;
}

void read_cache_control(const http::Head&, std::string_view list, HeadReading& reading) {
  Wishes& wishes = reading.wishes;
  while (!list.empty()) {
    const std::string_view directive = take_element(list);
    const std::size_t equals = std::min(directive.find('='), directive.size());
    const std::string_view name = trim(directive.substr(0, equals));
    if (iequals(name, "no-store")) wishes.alone = kNoStore;
    if (iequals(name, "no-cache")) wishes.alone = kNoCache;
    if (!iequals(name, "max-age") || equals == directive.size()) continue;
    std::string_view argument = trim(directive.substr(equals + 1));
    if (argument.size() >= 2 && argument.front() == '"' && argument.back() == '"') {
      argument = argument.substr(1, argument.size() - 2);
    }
    if (argument.find_first_not_of("0123456789") != std::string_view::npos) continue;
    if (argument.empty()) continue;
    // RFC 9111 section 1.2.2: a value too large is read as the largest there is.
    constexpr std::uint32_t kMax = std::numeric_limits<std::uint32_t>::max();
    const auto seconds = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(parse_decimal(argument).value_or(kMax), kMax));
    wishes.max_age_s = std::min(wishes.max_age_s.value_or(kMax), seconds);
  }
}

// One RFC 8941 item, a token with parameters, read from the front of `rest`.
class ItemReader {
 public:
  explicit ItemReader(std::string_view text) : rest_(trim(text)) {}

  bool at_end() const { return rest_.empty(); }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skip_spaces() {
    while (take(' ')) {
    }
  }
  std::string_view token() {
    const auto is_token = [](char c) {
      return (c >= '0' && c <= '9') || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') ||
             std::string_view("!#$%&'*+-.^_`|~:/").find(c) != std::string_view::npos;
    };
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_token);
    const std::string_view token = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(token.size());
    return token;
  }
  // A quoted string or a token; nothing if neither stands here.
  std::optional<std::string> value() {
    if (!take('"')) {
      const std::string_view bare = token();
      return bare.empty() ? std::nullopt : std::optional<std::string>(bare);
    }
    std::string text;
    while (!rest_.empty() && rest_.front() != '"') {
      if (take('\\') && (rest_.empty() || (rest_.front() != '"' && rest_.front() != '\\'))) {
        return std::nullopt;
      }
      if (rest_.front() < 0x20 || rest_.front() > 0x7e) return std::nullopt;
      text += rest_.front();
      rest_.remove_prefix(1);
    }
    return take('"') ? std::optional(std::move(text)) : std::nullopt;
  }

 private:
  std::string_view rest_;
};

void read_coalesce_item(std::string_view text, Wishes& wishes) {
  ItemReader reader(text);
  const std::string_view word = reader.token();
  std::string group;
  while (reader.skip_spaces(), reader.take(';')) {
    reader.skip_spaces();
    const std::string_view name = reader.token();
    const auto value = reader.take('=') ? reader.value() : std::optional<std::string>("");
    if (name.empty() || !value) {
      wishes.alone = kUnreadable;
      return;
    }
    if (name == "group") group = *value;
  }
  if (!reader.at_end() || (word != "off" && word != "share")) {
    wishes.alone = kUnreadable;
  } else if (word == "off") {
    wishes.alone = kOff;
  } else {
    wishes.group = std::move(group);  // without a group, "share" asks for nothing
  }
}

void read_coalesce(const http::Head&, std::string_view text, HeadReading& reading) {
  read_coalesce_item(text, reading.wishes);
  if (std::exchange(reading.coalesce_seen, true)) reading.wishes.alone = kTwice;
}

void read_vary(const http::Head&, std::string_view value, HeadReading& reading) {
  reading.vary.push_back({"x-slipstream-vary", value});
}

void read_content_encoding(const http::Head&, std::string_view value, HeadReading& reading) {
  reading.wishes.encoded_body |= !value.empty() && !iequals(value, "identity");
}

void read_conversation_id(const http::Head&, std::string_view, HeadReading& reading) {
  reading.wishes.server_session = true;
}

void read_explain(const http::Head&, std::string_view value, HeadReading& reading) {
  reading.wishes.explain = value == "1";
}

// A field that Connection names does not reach the upstream, and Connection itself is not keyed:
// what is dropped that way must be nothing that the key or the scope counts as sent.
void read_connection(const http::Head& head, std::string_view list, HeadReading& reading) {
  while (!list.empty()) {
    const std::string_view element = take_element(list);
    for (std::size_t i = 0; i < head.field_count(); ++i) {
      const std::string_view name = head.field(i).name;
      if (!iequals(element, name)) continue;
      const HeaderRole role = role_of(name);
      if (role == HeaderRole::kKeyed || role == HeaderRole::kHop ||
          role == HeaderRole::kCredential) {
        reading.wishes.alone = kDropsWhatMatters;
      }
    }
  }
}

struct HeaderRow {
  std::string_view name;
  HeaderRole role;
  // What the field's value asks of the gateway; nullptr if nothing.
  void (*read)(const http::Head& head, std::string_view value, HeadReading& reading) = nullptr;
};

constexpr auto kHeaders = std::to_array<HeaderRow>({
    {"accept-encoding", HeaderRole::kDropped},
    {"connection", HeaderRole::kDropped, read_connection},
    {"content-length", HeaderRole::kDropped},
    {"expect", HeaderRole::kDropped},
    {"host", HeaderRole::kDropped},
    {"x-request-id", HeaderRole::kDropped},
    {"x-slipstream-coalesce", HeaderRole::kDropped, read_coalesce},
    {"x-slipstream-explain", HeaderRole::kDropped, read_explain},
    {"x-slipstream-vary", HeaderRole::kDropped, read_vary},
    {"authorization", HeaderRole::kCredential},
    {"api-key", HeaderRole::kCredential},
    {"x-api-key", HeaderRole::kCredential},
    {"openai-organization", HeaderRole::kCredential},
    {"openai-project", HeaderRole::kCredential},
    {"accept-language", HeaderRole::kIndifferent},
    {"cache-control", HeaderRole::kIndifferent, read_cache_control},
    {"priority", HeaderRole::kIndifferent},  // RFC 9218: order of responses on one connection
    {"traceparent", HeaderRole::kIndifferent},
    {"tracestate", HeaderRole::kIndifferent},
    {"user-agent", HeaderRole::kIndifferent},
    {"x-client-request-id", HeaderRole::kIndifferent},
    {"forwarded", HeaderRole::kHop},
    {"via", HeaderRole::kHop},
    {"x-forwarded-for", HeaderRole::kHop},
    {"x-forwarded-host", HeaderRole::kHop},
    {"x-forwarded-port", HeaderRole::kHop},
    {"x-forwarded-proto", HeaderRole::kHop},
    {"x-real-ip", HeaderRole::kHop},
    // Keyed whatever the operator says of them.
    {"anthropic-beta", HeaderRole::kKeyed},
    {"anthropic-version", HeaderRole::kKeyed},
    {"content-encoding", HeaderRole::kKeyed, read_content_encoding},
    {"content-type", HeaderRole::kKeyed},
    {"cookie", HeaderRole::kKeyed},
    {"idempotency-key", HeaderRole::kKeyed},
    {"openai-beta", HeaderRole::kKeyed},
    {"x-conversation-id", HeaderRole::kKeyed, read_conversation_id},
});
constexpr NameIndex kHeaderIndex(kHeaders);

bool is_harmless(std::string_view lower_name, const Policy& policy) {
  return std::ranges::find(policy.harmless_headers, lower_name) != policy.harmless_headers.end();
}

HeaderRole role_outside_table(std::string_view lower_name) {
  if (lower_name.starts_with("x-slipstream-")) return HeaderRole::kDropped;
  if (lower_name.starts_with("x-stainless-") || lower_name.starts_with("sec-fetch-")) {
    return HeaderRole::kIndifferent;
  }
  return http::is_hop_by_hop(lower_name) ? HeaderRole::kDropped : HeaderRole::kKeyed;
}

// `row`: nullptr outside the table.
inline bool is_keyed(const HeaderRow* row, HeaderRole role, std::string_view lower_name,
                     const Policy& policy) {
  if (role == HeaderRole::kKeyed) {
    return row != nullptr || policy.harmless_headers.empty() || !is_harmless(lower_name, policy);
  }
  return role == HeaderRole::kHop && !is_harmless(lower_name, policy) &&
         server_of(policy.profile).hop_fields == HopFields::kMayActOn;
}

}  // namespace

HeaderRole role_of(std::string_view lower_name) {
  const HeaderRow* const row = kHeaderIndex.find(lower_name);
  return row != nullptr ? row->role : role_outside_table(lower_name);
}

bool is_credential(std::string_view lower_name) {
  const HeaderRow* const row = kHeaderIndex.find(lower_name);  // none stands outside the table
  return row != nullptr && row->role == HeaderRole::kCredential;
}

bool is_keyed(std::string_view lower_name, const Policy& policy) {
  return is_keyed(kHeaderIndex.find(lower_name), role_of(lower_name), lower_name, policy);
}

std::vector<HeaderName> listed_headers() {
  std::vector<HeaderName> names;
  for (const HeaderRow& row : kHeaders) names.push_back({row.name, row.role});
  return names;
}

bool is_forwarded(std::string_view lower_name) {
  return role_of(lower_name) != HeaderRole::kDropped;
}

bool is_forwarded(const http::Head& head, std::string_view lower_name) {
  return is_forwarded(lower_name) && !named_in_connection(head, lower_name);
}

bool named_in_connection(const http::Head& head, std::string_view lower_name) {
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    if (head.field(i).name != "connection") continue;
    for (std::string_view list = head.field(i).value; !list.empty();) {
      if (iequals(take_element(list), lower_name)) return true;
    }
  }
  return false;
}

void read_head(const http::Head& head, const Policy& policy, HeadReading& reading) {
  reading.wishes = {};
  reading.keyed.clear();
  reading.vary.clear();
  reading.coalesce_seen = false;
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    const http::Head::Field field = head.field(i);
    const HeaderRow* const row = kHeaderIndex.find(field.name);
    const HeaderRole role = row != nullptr ? row->role : role_outside_table(field.name);
    if (is_keyed(row, role, field.name, policy)) reading.keyed.push_back(field);
    if (row != nullptr && row->read != nullptr) row->read(head, field.value, reading);
  }
}

}  // namespace slipstream::contract
