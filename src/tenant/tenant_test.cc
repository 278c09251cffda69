#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "config/scalar.h"
#include "config/tenant_key.h"
#include "tenant/directory.h"
#include "tenant/network.h"
#include "tenant/quota.h"

namespace slipstream::tenant {
namespace {

constexpr std::string_view kSecret = "0123456789abcdef";

config::Tenant tenant(std::string name, std::vector<std::string> keys) {
  config::Tenant out;
  out.name = std::move(name);
  for (std::string& key : keys) out.keys.emplace_back(std::move(key));
  return out;
}

TEST(Directory, FindsTheTenantOfAKeyInClearOrHashed) {
  HmacSha256 mac(kSecret);
  const std::string hashed = config::format_key_hash(config::hash_of_key(mac, "key-of-b-2"));
  const Directory directory({tenant("a", {"key-of-a-1"}), tenant("b", {"key-of-b-1", hashed})},
                            kSecret);
  EXPECT_EQ(directory.find(mac, "key-of-a-1")->name, "a");
  EXPECT_EQ(directory.find(mac, "key-of-b-1")->name, "b");
  EXPECT_EQ(directory.find(mac, "key-of-b-2"), directory.find(mac, "key-of-b-1"));
  for (const std::string& wrong :
       {std::string(), std::string("key-of-a-"), std::string("key-of-a-1 "),
        std::string("KEY-OF-A-1"), hashed, hashed.substr(5)}) {
    EXPECT_EQ(directory.find(mac, wrong), nullptr) << wrong;
  }
  EXPECT_EQ(directory.find_name("b"), directory.find(mac, "key-of-b-1"));
  EXPECT_EQ(directory.find_name("c"), nullptr);
  EXPECT_FALSE(directory.empty());
  EXPECT_EQ(Directory({}, kSecret).find(mac, "key-of-a-1"), nullptr);
}

TEST(Directory, AHashIsWorthNothingUnderAnotherSecret) {
  HmacSha256 mac(kSecret);
  const std::string hashed = config::format_key_hash(config::hash_of_key(mac, "key-of-a-1"));
  HmacSha256 other("another secret of the scope");
  const Directory directory({tenant("a", {hashed})}, "another secret of the scope");
  EXPECT_EQ(directory.find(other, "key-of-a-1"), nullptr);
}

TEST(Directory, ScopesOfAllKindsAndNamesDiffer) {
  HmacSha256 mac(kSecret);
  const DigestBytes all[] = {
      named_scope(mac, ScopeKind::kTenant, "a"),
      named_scope(mac, ScopeKind::kTenant, "b"),
      named_scope(mac, ScopeKind::kTrusted, "a"),
      named_scope(mac, ScopeKind::kPublic, "a"),
      config::hash_of_key(mac, "a"),
      mac.of("a"),
  };
  for (const auto& one : all) EXPECT_EQ(std::count(std::begin(all), std::end(all), one), 1);
}

TEST(Quota, RequestsRefillEvenly) {
  ManualClock clock;
  Quota quota(60, 0);
  for (int i = 0; i < 60; ++i) EXPECT_EQ(quota.take(clock.now()).verdict, Quota::Verdict::kGranted);
  const Quota::Answer refused = quota.take(clock.now());
  EXPECT_EQ(refused.verdict, Quota::Verdict::kNoRequests);
  EXPECT_EQ(refused.wait, seconds(1));
  clock.advance(seconds(1));
  EXPECT_EQ(quota.take(clock.now()).verdict, Quota::Verdict::kGranted);
  EXPECT_EQ(quota.take(clock.now()).verdict, Quota::Verdict::kNoRequests);
  clock.advance(std::chrono::hours(5));  // no more than a minute's worth is saved up
  for (int i = 0; i < 60; ++i) EXPECT_EQ(quota.take(clock.now()).verdict, Quota::Verdict::kGranted);
  EXPECT_EQ(quota.take(clock.now()).verdict, Quota::Verdict::kNoRequests);
}

TEST(Quota, TokensLeaveADebtThatIsRefilled) {
  ManualClock clock;
  Quota quota(0, 600);
  EXPECT_TRUE(quota.counts_tokens());
  quota.charge_tokens(599, clock.now());
  EXPECT_EQ(quota.take(clock.now()).verdict, Quota::Verdict::kGranted);
  quota.charge_tokens(601, clock.now());  // 600 more than there were
  const Quota::Answer refused = quota.take(clock.now());
  EXPECT_EQ(refused.verdict, Quota::Verdict::kNoTokens);
  EXPECT_EQ(refused.wait, seconds(60) + milliseconds(100));
  clock.advance(refused.wait - milliseconds(1));
  EXPECT_EQ(quota.take(clock.now()).verdict, Quota::Verdict::kNoTokens);
  clock.advance(milliseconds(1));
  EXPECT_EQ(quota.take(clock.now()).verdict, Quota::Verdict::kGranted);
}

TEST(Quota, NothingConfiguredLimitsNothing) {
  ManualClock clock;
  Quota quota(0, 0);
  EXPECT_FALSE(quota.counts_tokens());
  quota.charge_tokens(UINT64_MAX, clock.now());
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(quota.take(clock.now()).verdict, Quota::Verdict::kGranted);
  }
}

TEST(Quota, HugeNumbersNeitherOverflowNorForgive) {
  ManualClock clock;
  Quota slow(0, 1);
  for (int i = 0; i < 100; ++i) slow.charge_tokens(UINT64_MAX, clock.now());
  const Quota::Answer refused = slow.take(clock.now());
  EXPECT_EQ(refused.verdict, Quota::Verdict::kNoTokens);
  EXPECT_LE(refused.wait, std::chrono::hours(24));
  EXPECT_GT(refused.wait, std::chrono::hours(23));
  Bucket fast(1'000'000'000);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(fast.take(clock.now()), Duration::zero());
}

TEST(QuotaConcurrent, NoRequestIsGrantedTwiceOrLost) {
  ManualClock clock;
  Quota quota(1000, 0);
  std::atomic<int> granted{0};
  std::vector<std::thread> workers;
  for (int w = 0; w < 4; ++w) {
    workers.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        if (quota.take(clock.now()).verdict == Quota::Verdict::kGranted) granted.fetch_add(1);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(granted.load(), 1000);
}

TEST(Network, InsideAndOutside) {
  const std::vector<config::Network> networks = {*config::parse_network("10.0.0.0/15"),
                                                 *config::parse_network("fd00::/9"),
                                                 *config::parse_network("127.0.0.1")};
  for (const char* inside :
       {"127.0.0.1", "fd7f::1", "fd00::1%eth0", "10.1.255.255", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_inside(networks, inside)) << inside;
  }
  for (const char* outside :
       {"127.0.0.2", "10.2.0.0", "fd80::1", "::1", "", "localhost", "10.0.0.0/15", "::127.0.0.1"}) {
    EXPECT_FALSE(is_inside(networks, outside)) << outside;
  }
  EXPECT_FALSE(is_inside({}, "127.0.0.1"));
  const std::vector<config::Network> all = {*config::parse_network("0.0.0.0/0")};
  EXPECT_TRUE(is_inside(all, "192.0.2.1"));
  EXPECT_FALSE(is_inside(all, "2001:db8::1"));
}

}  // namespace
}  // namespace slipstream::tenant
