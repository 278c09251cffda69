#include "config/scalar.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace slipstream::config {
namespace {

TEST(Scalar, Sizes) {
  EXPECT_EQ(parse_size("16MiB"), 16777216U);
  EXPECT_EQ(parse_size("64KB"), 64000U);
  EXPECT_EQ(parse_size("1GiB"), 1073741824U);
  EXPECT_EQ(parse_size("512"), 512U);
  EXPECT_EQ(parse_size("0"), 0U);
  for (const char* bad : {"", "MiB", "16 MiB", "-1", "+1", "1.5MiB", "16mib", "16MiBs", "0x10",
                          "99999999999999999999", "18446744073709551615GiB"}) {
    EXPECT_FALSE(parse_size(bad)) << bad;
  }
}

TEST(Scalar, Durations) {
  EXPECT_EQ(parse_duration("100ms")->count(), 100);
  EXPECT_EQ(parse_duration("30s")->count(), 30000);
  EXPECT_EQ(parse_duration("5m")->count(), 300000);
  EXPECT_EQ(parse_duration("1h")->count(), 3600000);
  EXPECT_EQ(parse_duration("0")->count(), 0);
  for (const char* bad : {"", "30", "s", "1m30s", "-1s", "30 s", "1d", "18446744073709551615h",
                          "10000000000000000000ms"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

TEST(Scalar, FormatTakesTheLargestUnitAndReadsBack) {
  EXPECT_EQ(format_size(16777216), "16MiB");
  EXPECT_EQ(format_size(64000), "64KB");
  EXPECT_EQ(format_size(0), "0B");
  EXPECT_EQ(format_duration(Milliseconds(1500)), "1500ms");
  EXPECT_EQ(format_duration(Milliseconds(600000)), "10m");
  EXPECT_EQ(format_duration(Milliseconds(0)), "0s");
  for (const std::uint64_t value : {0ULL, 1ULL, 999ULL, 1000ULL, 1024ULL, 123456789ULL}) {
    EXPECT_EQ(parse_size(format_size(value)), value);
    EXPECT_EQ(parse_duration(format_duration(Milliseconds(value))), Milliseconds(value));
  }
}

TEST(Scalar, Addresses) {
  EXPECT_EQ(*parse_address("127.0.0.1:8080"), (Address{"127.0.0.1", 8080}));
  EXPECT_EQ(*parse_address("[::1]:0"), (Address{"::1", 0}));
  EXPECT_EQ(*parse_address("gateway.local:65535"), (Address{"gateway.local", 65535}));
  EXPECT_EQ(format_address({"::1", 80}), "[::1]:80");
  for (const char* bad : {"", "8080", ":8080", "host", "host:", "host:65536", "host:+1", "::1:80",
                          "[::1]", "[]:80", "[zz]:80", "a b:80", "host:80:80", "http://h:80"}) {
    EXPECT_FALSE(parse_address(bad)) << bad;
  }
}

TEST(Scalar, Urls) {
  EXPECT_EQ(*parse_url("http://127.0.0.1:8000"), (Url{false, {"127.0.0.1", 8000}, ""}));
  EXPECT_EQ(*parse_url("https://models.example/v1/"), (Url{true, {"models.example", 443}, "/v1"}));
  EXPECT_EQ(*parse_url("http://[::1]/"), (Url{false, {"::1", 80}, ""}));
  EXPECT_EQ(format_url(*parse_url("https://models.example/v1")), "https://models.example:443/v1");
  for (const char* bad : {"", "127.0.0.1:8000", "ftp://h", "http://", "http://u:p@h", "http://h?q",
                          "http://h/#f", "http://h:0", "http://h:x", "http://h/a b", "HTTP://h"}) {
    EXPECT_FALSE(parse_url(bad)) << bad;
  }
}

TEST(Scalar, HeaderNames) {
  EXPECT_EQ(parse_header_name("X-Deadline"), "x-deadline");
  EXPECT_FALSE(parse_header_name("x deadline"));
  EXPECT_FALSE(parse_header_name("x:\r\n"));
}

TEST(Scalar, Networks) {
  for (const auto& [text, back] : std::map<std::string, std::string>{
           {"10.0.0.0/8", "10.0.0.0/8"},
           {"127.0.0.1", "127.0.0.1/32"},
           {"0.0.0.0/0", "0.0.0.0/0"},
           {"fd00::/8", "fd00::/8"},
           {"::1", "::1/128"},
           {"::/0", "::/0"},
           {"::ffff:10.0.0.0/104", "10.0.0.0/8"},
       }) {
    const auto network = parse_network(text);
    ASSERT_TRUE(network) << text;
    EXPECT_EQ(format_network(*network), back);
    EXPECT_EQ(parse_network(back), network) << text;
  }
  for (const char* bad :
       {"", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "10.0.0/8", "fd00::/129", "fd00::1/64",
        "localhost", "10.0.0.0/-1", "10.0.0.0/8/8", " 10.0.0.0/8", "010.0.0.0/8"}) {
    EXPECT_FALSE(parse_network(bad)) << bad;
  }
  EXPECT_FALSE(parse_network(std::string("10.0.0.0\0/8", 11)));
}

}  // namespace
}  // namespace slipstream::config
