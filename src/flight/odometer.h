// Enumerates every run of a program that makes finitely many choices: run it, next(), run it again.
// Each choose() is a digit; next() turns the last digit that can turn and drops those behind it.
// For tests only; belongs to one thread.
#pragma once

#include <cstddef>
#include <vector>

#include "base/check.h"

namespace slipstream::flight {

class Odometer {
 public:
  // A number in [0, count), the same one as in the last run unless this digit was turned.
  // Precondition: count > 0 and depends on nothing but earlier choices.
  std::size_t choose(std::size_t count) {
    if (at_ == digits_.size()) digits_.push_back({0, count});
    const Digit& digit = digits_[at_++];
    SLIP_CHECK(digit.count == count);
    return digit.value;
  }

  // The choices so far differ from those of every earlier run.
  bool on_new_ground() const { return at_ >= digits_.size(); }

  // Prepares the next run. False when every run was made.
  bool next() {
    at_ = 0;
    while (!digits_.empty() && ++digits_.back().value == digits_.back().count) digits_.pop_back();
    return !digits_.empty();
  }

 private:
  struct Digit {
    std::size_t value;
    std::size_t count;
  };
  std::vector<Digit> digits_;
  std::size_t at_ = 0;
};

}  // namespace slipstream::flight
