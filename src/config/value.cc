#include "config/value.h"

#include <algorithm>

#include "base/text.h"
#include "config/records.h"
#include "config/scalar.h"
#include "config/tenant_key.h"

namespace slipstream::config {
namespace {

// Double-quoted YAML that reads back as the same text, also with ${ in it.
std::string quote(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\\') out += '\\';
    if (text[i] == '$' && text.substr(i).starts_with("${")) out += '$';
    out += text[i];
  }
  return out + '"';
}

// Parses one text for one kind of member; overloads are chosen by the Target alternative.
struct Assigner {
  const Option& option;
  const std::vector<std::string>& items;

  bool within(std::uint64_t value) const {
    return value >= option.bounds.min && value <= option.bounds.max;
  }
  const std::string& text() const { return items.front(); }

  bool operator()(bool* out) const {
    if (text() != "true" && text() != "false") return false;
    *out = text() == "true";
    return true;
  }
  bool operator()(std::uint64_t* out) const {
    const auto value = option.type == Type::kSize ? parse_size(text()) : parse_decimal(text());
    if (!value || !within(*value)) return false;
    *out = *value;
    return true;
  }
  bool operator()(Milliseconds* out) const {
    const auto value = parse_duration(text());
    if (!value || !within(static_cast<std::uint64_t>(value->count()))) return false;
    *out = *value;
    return true;
  }
  bool operator()(std::string* out) const {
    if (!within(text().size()) || !is_plain_text(text())) return false;
    if (option.type != Type::kHeaderName) {
      *out = text();
      return true;
    }
    const auto name = parse_header_name(text());
    if (name) *out = *name;
    return name.has_value();
  }
  bool operator()(std::vector<std::string>* out) const {
    const bool fit =
        within(items.size()) && std::all_of(items.begin(), items.end(), [this](auto& item) {
          const auto& choices = option.choices;
          return !item.empty() && item.size() <= 256 && is_plain_text(item) &&
                 (choices.empty() ||
                  std::find(choices.begin(), choices.end(), item) != choices.end());
        });
    if (fit) *out = items;
    return fit;
  }
  bool operator()(Address* out) const {
    auto value = parse_address(text());
    if (value) *out = std::move(*value);
    return value.has_value();
  }
  bool operator()(std::optional<Address>* out) const {
    auto value = parse_address(text());
    if (!value && text() != "off") return false;
    *out = std::move(value);
    return true;
  }
  bool operator()(Url* out) const {
    auto value = parse_url(text());
    if (value) *out = std::move(*value);
    return value.has_value();
  }
  bool operator()(Secret* out) const {
    // "***" is what --print-config shows: it must not come back as a secret. Its length forbids it.
    if (!within(text().size()) || !is_plain_text(text())) return false;
    *out = Secret(text());
    return true;
  }
  // The first choice stands for none.
  bool operator()(std::optional<Profile>* out) const {
    const auto profile = parse_profile(text());
    if (!profile && text() != option.choices.front()) return false;
    *out = profile;
    return true;
  }
  bool operator()(std::vector<Secret>* out) const {
    if (!within(items.size()) || !std::all_of(items.begin(), items.end(), is_tenant_key)) {
      return false;
    }
    out->clear();
    for (const std::string& item : items) out->emplace_back(item);
    return true;
  }
  bool operator()(std::vector<Network>* out) const {
    std::vector<Network> networks;
    for (const std::string& item : items) {
      const auto network = parse_network(item);
      if (!network) return false;
      networks.push_back(*network);
    }
    if (!within(networks.size())) return false;
    *out = std::move(networks);
    return true;
  }
  template <typename Enum>
  bool operator()(Enum* out) const {
    const auto found = std::find(option.choices.begin(), option.choices.end(), text());
    if (found == option.choices.end()) return false;
    *out = static_cast<Enum>(found - option.choices.begin());
    return true;
  }
};

struct Formatter {
  const Option& option;

  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const std::uint64_t* value) const {
    return option.type == Type::kSize ? format_size(*value) : std::to_string(*value);
  }
  std::string operator()(const Milliseconds* value) const { return format_duration(*value); }
  std::string operator()(const std::string* value) const { return quote(*value); }
  template <typename Item, typename Format>
  static std::string list(const std::vector<Item>& items, Format format) {
    std::string out = "[";
    for (const Item& item : items) out += (out.size() > 1 ? ", " : "") + quote(format(item));
    return out + "]";
  }
  std::string operator()(const std::vector<std::string>* items) const {
    return list(*items, [](const std::string& item) { return item; });
  }
  std::string operator()(const std::vector<Network>* items) const {
    return list(*items, format_network);
  }
  std::string operator()(const std::vector<Secret>* items) const {
    return list(*items, [](const Secret&) { return std::string("***"); });
  }
  std::string operator()(const Address* value) const { return quote(format_address(*value)); }
  std::string operator()(const std::optional<Address>* value) const {
    return *value ? quote(format_address(**value)) : "off";
  }
  std::string operator()(const Url* value) const { return quote(format_url(*value)); }
  std::string operator()(const Secret*) const { return "\"***\""; }
  std::string operator()(const std::optional<Profile>* value) const {
    return std::string(*value ? to_string(**value) : option.choices.front());
  }
  template <typename Enum>
  std::string operator()(const Enum* value) const {
    return std::string(option.choices[static_cast<std::size_t>(*value)]);
  }
};

std::string form_of(Type type) {
  switch (type) {
    case Type::kBool:
      return "true or false";
    case Type::kInteger:
      return "a whole number";
    case Type::kSize:
      return "a size such as 16MiB, 64KB or 512";
    case Type::kDuration:
      return "a duration such as 30s, 100ms or 5m";
    case Type::kString:
      return "a text without control characters";
    case Type::kHeaderName:
      return "a header name";
    case Type::kList:
      return "a list of texts";
    case Type::kSecretList:
      return "a list of keys, each 8 to 1024 bytes without control characters, or hmac: and 64 "
             "lower-case hexadecimal digits";
    case Type::kNetworkList:
      return "a list of networks such as 10.0.0.0/8 or fd00::/8";
    case Type::kEnum:
      return "one of";
    case Type::kAddress:
      return "an address such as 127.0.0.1:8080 or [::1]:8080";
    case Type::kUrl:
      return "a URL such as http://127.0.0.1:8000 or https://models.example/v1";
    case Type::kSecret:
      return "a secret without control characters";
  }
  return "";
}

}  // namespace

bool assign(const Option& option, const std::vector<std::string>& items, Settings& settings) {
  if (!is_list(option.type) && items.size() != 1) return false;
  return std::visit(Assigner{option, items}, option.target(settings));
}

std::vector<std::string> split_items(const Option& option, std::string_view text) {
  if (!is_list(option.type)) return {std::string(text)};
  std::vector<std::string> items;
  if (trim(text).empty()) return items;
  for (;;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    items.emplace_back(trim(text.substr(0, comma)));
    if (comma == text.size()) return items;
    text.remove_prefix(comma + 1);
  }
}

std::string format_value(const Option& option, const Settings& settings) {
  // The formatter only reads; one table of member accessors serves both directions.
  return std::visit(Formatter{option}, option.target(const_cast<Settings&>(settings)));
}

std::string bounds_text(const Option& option) {
  const auto [min, max] = option.bounds;
  if (max == UINT64_MAX) return "";
  const auto number = [&](std::uint64_t value) {
    if (option.type == Type::kSize) return format_size(value);
    if (option.type == Type::kDuration) return format_duration(Milliseconds(value));
    return std::to_string(value);
  };
  const bool length = option.type == Type::kString || option.type == Type::kHeaderName ||
                      option.type == Type::kSecret;
  return number(min) + " to " + number(max) +
         (length                 ? " bytes"
          : is_list(option.type) ? " items"
                                 : "");
}

std::string accepted_form(const Option& option) {
  const bool list_of_choices = option.type == Type::kList && !option.choices.empty();
  std::string form = list_of_choices ? "a list of" : form_of(option.type);
  for (std::size_t i = 0; i < option.choices.size(); ++i) {
    form += (i == 0 ? " " : i + 1 == option.choices.size() ? " or " : ", ");
    form += option.choices[i];
  }
  Settings probe;
  for (const RecordList& list : record_lists()) list.resize(probe, 1);
  if (std::holds_alternative<std::optional<Address>*>(option.target(probe))) form += ", or off";
  const std::string bounds = bounds_text(option);
  if (!bounds.empty()) form += ", " + bounds;
  return form;
}

}  // namespace slipstream::config
