// Every way a subscriber or a flight can end. Closed sets: each value has a metric of its name.
#pragma once

#include <array>
#include <string_view>

namespace slipstream::flight {

// How one caller's reading of a flight ended. Exactly one per subscriber.
enum class SubscriberEnding {
  kDelivered,       // the whole answer left, whatever its status
  kClientGone,      // the caller closed or reset its connection
  kTooSlow,         // lagged behind its bounds in bytes or time
  kDeadline,        // its own deadline passed
  kUpstreamFailed,  // the flight broke after bytes were published; an error event was sent
  kRefused,         // never joined: memory, caps, bad input
  kShutdown,        // the gateway stopped
};
inline constexpr std::array<std::string_view, 7> kSubscriberEndingNames = {
    "delivered", "client_gone", "too_slow", "deadline", "upstream_failed", "refused", "shutdown"};

// How a flight ended. Exactly one per flight.
enum class FlightEnding {
  kWhole,      // transport end and a finish reason for every choice
  kClaimed,    // transport end and the terminal marker, but a finish reason is missing
  kCut,        // bytes were published, then the upstream broke off or fell silent
  kRejected,   // the upstream answered with an error status, passed on as it is
  kFailed,     // no usable answer: connect, timeout, malformed ... before anything was published
  kAbandoned,  // nobody was left who wanted it
  kShutdown,   // the gateway stopped
};
inline constexpr std::array<std::string_view, 7> kFlightEndingNames = {
    "whole", "claimed", "cut", "rejected", "failed", "abandoned", "shutdown"};

constexpr std::string_view to_string(SubscriberEnding e) {
  return kSubscriberEndingNames[static_cast<std::size_t>(e)];
}
constexpr std::string_view to_string(FlightEnding e) {
  return kFlightEndingNames[static_cast<std::size_t>(e)];
}

}  // namespace slipstream::flight
