#include <algorithm>
#include <map>

#include "sim/checkers.h"

namespace slipstream::sim {

namespace {

constexpr long long kPromptEndMs = 2;  // virtual time does not pass while there is work

struct FlightStory {
  std::string leader;  // request id
  std::string key;
  bool shared = false;
  long long opened_ms = 0;
  long long ended_ms = -1;
  std::string ending;
  std::vector<std::string> subscribers;
};

struct RequestStory {
  std::string flight;  // the last one
  bool fell_back = false;
  long long fell_back_ms = -1;
  std::string first_flight;
  long long began_ms = -1;
  long long ended_ms = -1;
  std::string ending;
};

class LogCheck {
 public:
  LogCheck(const Outcome& outcome, Findings& findings) : outcome_(outcome), findings_(findings) {}

  void run() {
    for (const LogLine& line : outcome_.log) take(line);
    for (const auto& [id, flight] : flights_) check_flight(id, flight);
    for (const auto& [id, request] : requests_) {
      if (request.ended_ms < 0) say("request " + id + " never ended");
    }
    for (const AttemptRecord& attempt : outcome_.attempts) check_attempt(attempt);
    for (const auto& [leader, n] : attempts_) {
      if (n > 2) say("the flight of " + leader + " made " + std::to_string(n) + " attempts");
    }
    for (const Reply& reply : outcome_.evidence.replies) check_reply(reply);
  }

 private:
  void say(std::string what) { findings_.push_back(std::move(what)); }

  void take(const LogLine& line) {
    const std::string request = line.field("request");
    if (line.name == "leader" || line.name == "solo" || line.name == "follower") {
      take_role(line, request);
    } else if (line.name == "ended") {
      if (!ended_.insert({request, line.at_ms}).second) say("request " + request + " ended twice");
      const auto found = requests_.find(request);
      if (found == requests_.end()) return;  // the gateway answered without a flight
      found->second.ended_ms = line.at_ms;
      found->second.ending = line.field("ending");
    } else if (line.name == "flight") {
      FlightStory& flight = flights_[line.field("flight")];
      if (flight.ended_ms >= 0) say("flight " + line.field("flight") + " ended twice");
      flight.ended_ms = line.at_ms;
      flight.ending = line.field("ending");
    }
  }

  void take_role(const LogLine& line, const std::string& request) {
    const std::string id = line.field("flight");
    FlightStory& flight = flights_[id];
    RequestStory& story = requests_[request];
    if (!story.flight.empty()) {
      if (line.name != "solo" || story.fell_back) say("request " + request + " flew twice");
      story.fell_back = true;
      story.fell_back_ms = line.at_ms;
      story.first_flight = story.flight;
    }
    if (story.flight.empty()) story.began_ms = line.at_ms;
    story.flight = id;
    flight.subscribers.push_back(request);
    if (line.name == "follower") {
      if (flight.leader.empty()) say("request " + request + " follows a flight that nobody leads");
      if (flight.ended_ms >= 0) say("request " + request + " joined a flight that had ended");
      return;
    }
    if (!flight.leader.empty()) say("flight " + id + " has two leaders");
    flight.leader = request;
    flight.shared = line.name == "leader";
    flight.opened_ms = line.at_ms;
    flight_of_leader_[request] = id;
    if (flight.shared) note_key(line, id, flight);
  }

  // At most one live joinable flight per key; without tight limits every live one is joinable.
  void note_key(const LogLine& line, const std::string& id, FlightStory& flight) {
    flight.key = line.field("key");
    const std::string before = std::exchange(flight_of_key_[flight.key], id);
    if (before.empty()) return;
    const Swarm& swarm = outcome_.swarm;
    if (swarm.tight_windows || swarm.tight_memory || swarm.wishes) return;
    unshared_.push_back({before, line.at_ms});
  }

  long long left_at(const std::string& request, const std::string& flight) const {
    const RequestStory& story = requests_.at(request);
    if (story.fell_back && story.first_flight == flight) return story.fell_back_ms;
    if (story.ending != "deadline") return story.ended_ms;
    // At its deadline a caller leaves its flight, though its last words may take longer.
    return std::min(story.ended_ms, story.began_ms + outcome_.settings.request.deadline.count());
  }

  long long last_left(const std::string& id, const FlightStory& flight) const {
    long long last = 0;
    for (const std::string& request : flight.subscribers) {
      last = std::max(last, left_at(request, id));
    }
    return last;
  }

  void check_flight(const std::string& id, const FlightStory& flight) {
    if (flight.ended_ms < 0) return say("flight " + id + " never ended");
    if (flight.leader.empty()) return say("flight " + id + " has no leader");
    const auto wants = [&](const std::string& request) {
      // Callers may name deadlines of their own, which the log does not tell; then they may be too
      // slow for the answer that says so.
      const std::string& ending = requests_.at(request).ending;
      return ending != "deadline" && ending != "too_slow" && left_at(request, id) > flight.ended_ms;
    };
    const bool wanted = std::any_of(flight.subscribers.begin(), flight.subscribers.end(), wants);
    if (flight.ending == "abandoned" && wanted) {
      say("flight " + id + " was abandoned while somebody still wanted it");
    }
    for (const auto& [before, at_ms] : unshared_) {
      if (before == id && flight.ended_ms > at_ms) {
        say("flight " + id + " was live, but an identical request did not join it");
      }
    }
  }

  void check_attempt(const AttemptRecord& attempt) {
    ++attempts_[attempt.request_id];
    if (attempt.ended == kNever)
      return say("the attempt of " + attempt.request_id + " never ended");
    const auto found = flight_of_leader_.find(attempt.request_id);
    if (found == flight_of_leader_.end()) {
      return say("an attempt was made for " + attempt.request_id + ", which leads no flight");
    }
    const FlightStory& flight = flights_.at(found->second);
    const long long last = last_left(found->second, flight);
    const auto& coalesce = outcome_.settings.coalesce;
    const long long grace =
        flight.shared ? std::min<long long>(coalesce.grace_max.count(),
                                            (last - flight.opened_ms + 1) *
                                                static_cast<long long>(coalesce.grace_share) / 100)
                      : 0;
    const long long ended = to_ms(attempt.ended - outcome_.start);
    // What is not read cannot be found silent. (An error event may come with the last read.)
    const bool young = ended - flight.opened_ms < outcome_.settings.upstream.flight_age_max.count();
    if (attempt.paused && flight.ending == "cut" && young && !outcome_.swarm.in_band_errors) {
      say("the attempt of " + attempt.request_id + " was paused and given up");
    }
    if (ended > last + grace + 1) {
      say("the attempt of " + attempt.request_id + " ran " + std::to_string(ended - last) +
          " ms beyond its last subscriber, " + std::to_string(grace) + " ms are allowed");
    }
  }

  void check_reply(const Reply& reply) {
    const auto found = requests_.find(reply.request_id);
    if (reply.request_id.empty() || found == requests_.end()) return;
    const RequestStory& story = found->second;
    if (reply.end == Reply::End::kComplete && !reply.flight.empty() &&
        story.ending != "delivered") {
      say("request " + reply.request_id + " got all, and is said to have ended as " + story.ending);
    }
    const bool cut = reply.end == Reply::End::kCut || reply.end == Reply::End::kReset;
    if (cut && reply.prompt_reader && story.ending == "delivered" && !outcome_.swarm.stopped) {
      say("request " + reply.request_id + " is said to be delivered, and got a part");
    }
    if (!reply.prompt_reader || !outcome_.swarm.clean_network()) return;
    if (story.ending == "too_slow" && !outcome_.swarm.tight_memory) {
      say("request " + reply.request_id + " read at once and was too slow");
    }
    const auto limit = outcome_.settings.request.deadline.count();
    if (reply.question.kind == Question::Kind::kChat &&
        story.ended_ms > story.began_ms + limit + kPromptEndMs) {
      say("request " + reply.request_id + " outlived its deadline");
    }
    const auto flight = flights_.find(story.flight);
    if (flight == flights_.end()) return;
    // Who waits for a flight hears of its end at once.
    if (story.ended_ms > flight->second.ended_ms + kPromptEndMs &&
        reply.question.kind == Question::Kind::kChat) {
      say("request " + reply.request_id + " ended " +
          std::to_string(story.ended_ms - flight->second.ended_ms) + " ms after its flight");
    }
  }

  const Outcome& outcome_;
  Findings& findings_;
  std::map<std::string, FlightStory> flights_;
  std::map<std::string, RequestStory> requests_;
  std::map<std::string, long long> ended_;
  std::map<std::string, std::string> flight_of_leader_;
  std::map<std::string, std::string> flight_of_key_;
  std::vector<std::pair<std::string, long long>> unshared_;
  std::map<std::string, int> attempts_;
};

}  // namespace

void check_log(const Outcome& outcome, Findings& findings) {
  LogCheck(outcome, findings).run();
}

}  // namespace slipstream::sim
