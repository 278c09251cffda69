#include "base/secret.h"

#include <gtest/gtest.h>

#include <concepts>
#include <cstring>
#include <new>
#include <ostream>
#include <utility>

namespace slipstream {
namespace {

template <typename T>
concept Streamable = requires(std::ostream& out, const T& value) { out << value; };

static_assert(!Streamable<Secret>);
static_assert(!std::equality_comparable<Secret>);
static_assert(!std::convertible_to<Secret, std::string>);
static_assert(!std::convertible_to<Secret, std::string_view>);
static_assert(!std::convertible_to<std::string, Secret>);

TEST(Secret, RevealsWhatItHolds) {
  Secret secret(std::string("canary-0123456789"));
  EXPECT_EQ(secret.reveal(), "canary-0123456789");
  const Secret copy = secret;
  const Secret moved = std::move(secret);
  EXPECT_EQ(copy.reveal(), moved.reveal());
  EXPECT_TRUE(Secret().empty());
}

TEST(Secret, AssignmentReplacesAndEmptiesTheSource) {
  Secret secret(std::string("first"));
  Secret other(std::string("second, longer than any small string buffer"));
  secret = other;
  EXPECT_EQ(secret.reveal(), other.reveal());
  secret = std::move(other);
  EXPECT_EQ(secret.reveal(), "second, longer than any small string buffer");
  EXPECT_TRUE(other.empty());
  secret = *&secret;
  EXPECT_EQ(secret.reveal(), "second, longer than any small string buffer");
}

TEST(Secret, MemoryIsWipedOnDestruction) {
  // Short enough to be stored inside the object, so the storage can be looked at afterwards.
  alignas(Secret) unsigned char storage[sizeof(Secret)] = {};
  auto* secret = new (storage) Secret(std::string("canary"));
  ASSERT_NE(memmem(storage, sizeof storage, "canary", 6), nullptr);
  secret->~Secret();
  EXPECT_EQ(memmem(storage, sizeof storage, "canary", 6), nullptr);
  EXPECT_EQ(memmem(storage, sizeof storage, "anary", 5), nullptr);
}

}  // namespace
}  // namespace slipstream
