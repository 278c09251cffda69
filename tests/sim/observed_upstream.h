// Stands between a worker and the real upstream client and notes when attempts begin and end.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "sim/sim_world.h"
#include "upstream/attempt.h"

namespace slipstream::sim {

struct AttemptRecord {
  std::string request_id;  // the leader's
  Time began{};
  Time ended = kNever;
  bool paused = false;  // at its end
};
using AttemptRecords = std::deque<AttemptRecord>;  // stays in place

class ObservedUpstream final : public upstream::Upstream {
 public:
  ObservedUpstream(SimWorld& world, upstream::Upstream& real, AttemptRecords& records)
      : world_(world), real_(real), records_(records) {}
  std::unique_ptr<upstream::Attempt> start(upstream::Call call,
                                           upstream::AttemptHandler* handler) override;

 private:
  SimWorld& world_;
  upstream::Upstream& real_;
  AttemptRecords& records_;
};

}  // namespace slipstream::sim
