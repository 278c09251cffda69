#include "base/secret.h"

#include <cstring>

namespace slipstream {

Secret& Secret::operator=(const Secret& other) {
  if (this != &other) *this = Secret(other);
  return *this;
}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this == &other) return *this;
  // The other takes over the old text and wipes it: a plain move would free it as it is.
  text_.swap(other.text_);
  wipe(other.text_);
  return *this;
}

// The whole buffer, also what a shorter text left behind; a plain memset before a destructor may be
// optimized away.
void Secret::wipe(std::string& text) {
  text.resize(text.capacity());
  explicit_bzero(text.data(), text.size());
  text.clear();
}

}  // namespace slipstream
