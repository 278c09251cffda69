// The written forms of sizes, durations, addresses and URLs.
//
// Pure functions. A parse function returns nothing if the text has another form or a number
// overflows; format functions write what the parse function takes back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/settings.h"

namespace slipstream::config {

std::optional<std::uint64_t> parse_size(std::string_view text);     // bytes: 16MiB, 64KB, 512
std::optional<Milliseconds> parse_duration(std::string_view text);  // 5m, 30s, 100ms, 0
std::optional<Address> parse_address(std::string_view text);        // host:port, [v6]:port
// http or https; no user, query or fragment; the port may be left out.
std::optional<Url> parse_url(std::string_view text);
std::optional<std::string> parse_header_name(std::string_view text);  // in lower case
// An address, or address/bits with no bit set after them: 10.0.0.0/8, fd00::/8, 127.0.0.1.
std::optional<Network> parse_network(std::string_view text);

// The largest unit that divides the value: `16MiB`, `1500ms`, `0s`.
std::string format_size(std::uint64_t bytes);
std::string format_duration(Milliseconds duration);
std::string format_address(const Address& address);
std::string format_url(const Url& url);
std::string format_network(const Network& network);

// No control characters (which could forge log lines or header fields).
bool is_plain_text(std::string_view text);

}  // namespace slipstream::config
