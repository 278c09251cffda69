// Text that must not be seen: keys, credentials.
//
// It cannot be printed, formatted or compared by accident; reveal() is the one way to the bytes and
// easy to search for. The memory is wiped when the secret goes away.
// Thread rule: a value like any other.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace slipstream {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) { wipe(text); }
  Secret(const Secret&) = default;
  Secret(Secret&& other) noexcept : text_(std::move(other.text_)) { wipe(other.text_); }
  Secret& operator=(const Secret& other);
  Secret& operator=(Secret&& other) noexcept;
  ~Secret() { wipe(text_); }

  bool empty() const { return text_.empty(); }
  // Valid until the secret is changed or destroyed.
  std::string_view reveal() const { return text_; }

 private:
  static void wipe(std::string& text);

  std::string text_;
};

}  // namespace slipstream
