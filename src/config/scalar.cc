#include "config/scalar.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace slipstream::config {
namespace {

// Largest first: formatting takes the first that divides.
struct Unit {
  std::string_view suffix;
  std::uint64_t factor;
};
constexpr std::array kSizeUnits = {Unit{"GiB", 1ULL << 30},
                                   Unit{"MiB", 1ULL << 20},
                                   Unit{"KiB", 1ULL << 10},
                                   Unit{"GB", 1000000000},
                                   Unit{"MB", 1000000},
                                   Unit{"KB", 1000},
                                   Unit{"B", 1},
                                   Unit{"", 1}};
constexpr std::array kTimeUnits = {Unit{"h", 3600000}, Unit{"m", 60000}, Unit{"s", 1000},
                                   Unit{"ms", 1}};

// What stands before an IPv4 address in its IPv6-mapped form (RFC 4291 section 2.5.5.2).
constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

// Digits and a unit, nothing else. A bare zero needs no unit.
template <typename Units>
std::optional<std::uint64_t> parse_scaled(std::string_view text, const Units& units) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_decimal(text.substr(0, digits));
  if (!number) return std::nullopt;
  if (text == "0") return 0;
  for (const Unit& unit : units) {
    if (text.substr(digits) != unit.suffix) continue;
    if (*number > UINT64_MAX / unit.factor) return std::nullopt;
    return *number * unit.factor;
  }
  return std::nullopt;
}

bool is_host(std::string_view host) {
  return !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), [](char c) {
    const char lower = ascii_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_';
  });
}

bool is_ipv6(std::string_view host) {
  return host.find(':') != host.npos &&
         host.find_first_not_of("0123456789abcdefABCDEF:.") == host.npos;
}

// host[:port]; port is nothing when absent.
struct HostPort {
  std::string_view host;
  std::optional<std::string_view> port;
};
std::optional<HostPort> split_host(std::string_view text) {
  HostPort parts;
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == text.npos || !is_ipv6(text.substr(1, end - 1))) return std::nullopt;
    parts.host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
  } else {
    const std::size_t end = std::min(text.find(':'), text.size());
    parts.host = text.substr(0, end);
    rest = text.substr(end);
    if (!is_host(parts.host)) return std::nullopt;
  }
  if (rest.empty()) return parts;
  if (!rest.starts_with(':')) return std::nullopt;
  parts.port = rest.substr(1);
  return parts;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  const auto port = parse_decimal(text);
  if (!port || *port > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(*port);
}

}  // namespace

bool is_plain_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

std::optional<std::string> parse_header_name(std::string_view text) {
  std::string lower;
  for (const char c : text) {
    const char l = ascii_lower(c);
    const bool letter = (l >= 'a' && l <= 'z') || (l >= '0' && l <= '9');
    if (!letter && l != '-' && l != '_') return std::nullopt;
    lower += l;
  }
  return lower;
}

std::optional<Network> parse_network(std::string_view text) {
  if (!is_plain_text(text)) return std::nullopt;
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string address(text.substr(0, slash));
  Network network;
  std::uint8_t* const bytes = network.address.data();
  int first_bit = 0;
  if (inet_pton(AF_INET, address.c_str(), bytes + kMapped.size()) == 1) {
    std::copy(kMapped.begin(), kMapped.end(), bytes);
    first_bit = 8 * static_cast<int>(kMapped.size());
  } else if (inet_pton(AF_INET6, address.c_str(), bytes) != 1) {
    return std::nullopt;
  }
  if (slash < text.size()) {
    const auto bits = parse_decimal(text.substr(slash + 1));
    if (!bits || *bits > static_cast<std::uint64_t>(128 - first_bit)) return std::nullopt;
    network.prefix_bits = first_bit + static_cast<int>(*bits);
  }
  for (int bit = network.prefix_bits; bit < 128; ++bit) {
    if (bytes[bit / 8] & (0x80 >> bit % 8)) return std::nullopt;
  }
  return network;
}

std::string format_network(const Network& network) {
  const std::uint8_t* const bytes = network.address.data();
  const int mapped_bits = 8 * static_cast<int>(kMapped.size());
  const bool v4 = network.prefix_bits >= mapped_bits &&
                  std::equal(kMapped.begin(), kMapped.end(), network.address.begin());
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? bytes + kMapped.size() : bytes, text, sizeof text);
  return std::string(text) + "/" + std::to_string(network.prefix_bits - (v4 ? mapped_bits : 0));
}

std::string format_address(const Address& address) {
  const bool bracket = address.host.find(':') != std::string::npos;
  return (bracket ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

std::string format_url(const Url& url) {
  return (url.tls ? "https://" : "http://") + format_address(url.address) + url.path;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  return parse_scaled(text, kSizeUnits);
}

std::optional<Milliseconds> parse_duration(std::string_view text) {
  const auto value = parse_scaled(text, kTimeUnits);
  if (!value || *value > static_cast<std::uint64_t>(Milliseconds::max().count())) {
    return std::nullopt;
  }
  return Milliseconds(*value);
}

std::optional<Address> parse_address(std::string_view text) {
  const auto parts = split_host(text);
  if (!parts || !parts->port) return std::nullopt;
  const auto port = parse_port(*parts->port);
  if (!port) return std::nullopt;
  return Address{std::string(parts->host), *port};
}

std::optional<Url> parse_url(std::string_view text) {
  Url url;
  url.tls = text.starts_with("https://");
  if (!url.tls && !text.starts_with("http://")) return std::nullopt;
  text.remove_prefix(url.tls ? 8 : 7);
  // No query, fragment or user: a credential does not belong where logs show it.
  if (text.find_first_of("?#@ ") != text.npos || !is_plain_text(text)) return std::nullopt;

  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto parts = split_host(text.substr(0, slash));
  if (!parts) return std::nullopt;
  const auto port =
      parts->port ? parse_port(*parts->port) : std::optional<std::uint16_t>(url.tls ? 443 : 80);
  if (!port || *port == 0) return std::nullopt;
  url.address = {std::string(parts->host), *port};
  url.path = text.substr(slash);
  while (url.path.ends_with('/')) url.path.pop_back();
  return url;
}

std::string format_size(std::uint64_t bytes) {
  for (const Unit& unit : kSizeUnits) {
    if (bytes != 0 && bytes % unit.factor == 0)
      return std::to_string(bytes / unit.factor) + std::string(unit.suffix);
  }
  return "0B";
}

std::string format_duration(Milliseconds duration) {
  const auto ms = static_cast<std::uint64_t>(duration.count());
  for (const Unit& unit : kTimeUnits) {
    if (ms != 0 && ms % unit.factor == 0) {
      return std::to_string(ms / unit.factor) + std::string(unit.suffix);
    }
  }
  return "0s";
}

}  // namespace slipstream::config
