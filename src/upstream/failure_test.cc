#include "upstream/failure.h"

#include <gtest/gtest.h>

#include <set>

namespace slipstream::upstream {
namespace {

constexpr int kCount = static_cast<int>(kFailureClassNames.size());

TEST(Failure, EveryClassHasARuleOfItsOwn) {
  std::set<std::string_view> names, messages;
  for (int i = 0; i < kCount; ++i) {
    const auto failure = static_cast<FailureClass>(i);
    const FailureRule& rule = rule_of(failure);
    EXPECT_FALSE(to_string(failure).empty());
    EXPECT_TRUE(rule.status >= 429 && rule.status <= 504) << to_string(failure);
    EXPECT_TRUE(rule.message.ends_with('.')) << to_string(failure);
    names.insert(to_string(failure));
    messages.insert(rule.message);
  }
  EXPECT_EQ(names.size(), kFailureClassNames.size());
  EXPECT_EQ(messages.size(), kFailureClassNames.size());
  EXPECT_EQ(static_cast<int>(FailureClass::kOverload) + 1, kCount);
}

TEST(Failure, OnlyTransientFailuresAreRetried) {
  for (int i = 0; i < kCount; ++i) {
    const FailureRule& rule = rule_of(static_cast<FailureClass>(i));
    if (rule.retry == FailureRule::Retry::kOnce) {
      EXPECT_TRUE(rule.transient) << kFailureClassNames[static_cast<std::size_t>(i)];
    }
  }
}

// A retry is free only where the upstream cannot have begun to work.
TEST(Failure, RetriesThatMayCostWorkAreCharged) {
  const std::set<FailureClass> free = {FailureClass::kResolve, FailureClass::kConnect,
                                       FailureClass::kTls, FailureClass::kConnectTimeout,
                                       FailureClass::kStale};
  for (int i = 0; i < kCount; ++i) {
    const auto failure = static_cast<FailureClass>(i);
    const FailureRule& rule = rule_of(failure);
    if (rule.retry == FailureRule::Retry::kNever) continue;
    EXPECT_EQ(rule.budget == FailureRule::Budget::kFree, free.contains(failure))
        << to_string(failure);
  }
}

TEST(Failure, NothingIsRetriedForOurOwnBoundsOrARejection) {
  for (const FailureClass failure :
       {FailureClass::kTooOld, FailureClass::kRejected, FailureClass::kOverload}) {
    EXPECT_EQ(rule_of(failure).retry, FailureRule::Retry::kNever) << to_string(failure);
  }
  EXPECT_FALSE(rule_of(FailureClass::kRejected).transient);
}

TEST(Failure, StatusesAreClassified) {
  const std::set<int> unavailable = {502, 503, 504, 529};
  for (int status = 400; status < 600; ++status) {
    const FailureClass expected = status == 429                   ? FailureClass::kRateLimited
                                  : unavailable.contains(status)  ? FailureClass::kUnavailable
                                  : status < 500 || status == 501 ? FailureClass::kRejected
                                                                  : FailureClass::kServerError;
    EXPECT_EQ(classify_status(status), expected) << status;
  }
}

TEST(Failure, ConnectErrorsAreClassified) {
  using net::ConnectError;
  EXPECT_EQ(classify(ConnectError::kResolve), FailureClass::kResolve);
  EXPECT_EQ(classify(ConnectError::kRefused), FailureClass::kConnect);
  EXPECT_EQ(classify(ConnectError::kUnreachable), FailureClass::kConnect);
  EXPECT_EQ(classify(ConnectError::kTimeout), FailureClass::kConnectTimeout);
  EXPECT_EQ(classify(ConnectError::kTls), FailureClass::kTls);
}

}  // namespace
}  // namespace slipstream::upstream
