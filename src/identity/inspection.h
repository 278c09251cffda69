// One look at a server: which question comes next, and what all answers say together.
//
//   Inspection inspection(setup);
//   while (const Probe* probe = inspection.next()) inspection.answer(status, body) or unanswered();
//   if (inspection.conclusive()) use(inspection.identity());
//
// A state machine without I/O. What a server does not tell (404, 401 ...) is simply not known; what
// it cannot tell now (no answer, overload, "loading") makes the whole look inconclusive, because
// half an identity would look like a change. One thread at a time.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "identity/identity.h"
#include "identity/probes.h"

namespace slipstream::identity {

class Inspection {
 public:
  struct Setup {
    std::optional<Profile> profile{};  // nothing: find out
    std::string host{};                // tells hosted providers
    Declared declared{};
  };
  explicit Inspection(Setup setup);

  // Null when done. Valid until the next answer.
  const Probe* next() const { return pending_.empty() ? nullptr : &pending_.front(); }
  // Precondition of both: next() was not null.
  void answer(int status, std::string_view body);
  void unanswered();

  bool conclusive() const { return conclusive_; }
  // Precondition: next() is null.
  Identity identity() const;

  // What was asked so far, for people. `status` 0: no answer came.
  struct Asked {
    std::string request;  // "GET /props"
    int status = 0;
  };
  const std::vector<Asked>& asked() const { return asked_; }

 private:
  struct Answered {
    Probe probe;
    std::string canonical;
  };
  void ask(Question question, std::string_view model = {});
  void plan(Profile profile);
  void detect(const Probe& probe, std::string_view canonical);
  void plan_shows();

  Setup setup_;
  std::optional<Profile> profile_;
  std::size_t detecting_ = 0;  // the next of detection()
  std::deque<Probe> pending_;
  std::vector<Answered> answered_;
  std::vector<Asked> asked_;
  bool conclusive_ = true;
};

}  // namespace slipstream::identity
