// Decides what each request of a burst asks for and writes it out. Pure but for its own random
// numbers, which the seed fixes. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <string>

#include "base/random.h"
#include "lab/burst_options.h"
#include "lab/target.h"

namespace slipstream::lab {

struct RequestPlan {
  enum class Reading { kFast, kSlow };

  std::size_t group = 0;
  std::uint64_t prompt = 0;  // identity: equal exactly when the bodies are
  int tenant = 0;
  int leave_after = -1;  // events with text; -1 = stays
  Reading reading = Reading::kFast;
  std::string bytes;  // the request on the wire
};

class Planner {
 public:
  // Both outlive the planner.
  Planner(const BurstOptions& options, const Target& target);

  // The request of the group's caller number `caller` in `round`.
  RequestPlan plan(std::size_t group, int caller, std::uint64_t round);
  // When it starts, relative to its round.
  Duration delay();

 private:
  std::string body(const std::string& prompt) const;
  std::string head(int tenant, std::size_t body_bytes) const;

  const BurstOptions& options_;
  const Target& target_;
  SeededRandom random_;
  std::uint64_t unique_ = 0;
};

}  // namespace slipstream::lab
