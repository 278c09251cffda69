// What the gateway itself says inside an answer, in the terms of its surface: error bodies, errors
// inside a stream, signs of life. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "contract/surface.h"
#include "flight/flight.h"

namespace slipstream::gateway {

// An error object in the dialect's shape. `code` is a stable snake_case word, which only OpenAI's
// shape has a place for; `message` one sentence.
std::string error_body(int status, std::string_view message, std::string_view code,
                       contract::Dialect dialect = contract::Dialect::kOpenAi);
// What an upstream's error event or line says, as the body of an answer: an error object that
// stands there bare is put where libraries look for it.
std::string error_body_of_event(std::string_view data, contract::Dialect dialect);
// An error body told inside a stream, in the surface's own terms; empty in a plain body.
std::string error_event(std::string_view body, flight::AnswerHead::Form form,
                        contract::Surface surface);
// What is sent into silence to keep a stream of the surface alive; empty if its clients know
// nothing that means nothing.
std::string_view keep_alive_event(contract::Surface surface);

}  // namespace slipstream::gateway
