// The words that the field rows are written in: short names for classes, servers and surfaces.
// Included by the rows_*.h files and fields.cc alone.
#pragma once

#include <array>
#include <initializer_list>

#include "contract/fields.h"

namespace slipstream::contract::rows {

inline constexpr auto kK = FieldClass::kOutput;
inline constexpr auto kS = FieldClass::kShape;
inline constexpr auto kR = FieldClass::kRouting;
inline constexpr auto kI = FieldClass::kIdentity;
inline constexpr auto kX = FieldClass::kEffect;
inline constexpr auto kT = FieldClass::kClock;

inline constexpr auto kDraws = Sampling::kOverridesGreedy;
inline constexpr auto kOpaque = Sampling::kOpaque;
inline constexpr auto kNeutral = Sampling::kNeutral;

inline constexpr Profiles kOpenAi = Profiles(Profile::kOpenAi) | Profile::kAzure;
inline constexpr Profiles kAnthropic = Profile::kAnthropic;
inline constexpr Profiles kVllm = Profile::kVllm;
inline constexpr Profiles kSglang = Profile::kSglang;
inline constexpr Profiles kLlamaCpp = Profile::kLlamaCpp;
inline constexpr Profiles kOllama = Profile::kOllama;
inline constexpr Profiles kTgi = Profile::kTgi;
inline constexpr Profiles kLmStudio = Profile::kLmStudio;
inline constexpr Profiles kEngines = kVllm | kSglang | kLlamaCpp | kLmStudio;
inline constexpr Profiles kAll = kOpenAi | kEngines | kOllama | kTgi;

// The surfaces of a group.
consteval std::uint16_t on(std::initializer_list<Surface> surfaces) {
  unsigned bits = 0;
  for (const Surface surface : surfaces) bits |= 1U << static_cast<unsigned>(surface);
  return static_cast<std::uint16_t>(bits);
}

}  // namespace slipstream::contract::rows
