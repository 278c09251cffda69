// Why a message was refused: a closed set that the parser's parts share.
#pragma once

#include <string_view>

namespace slipstream::http {

// Each has one status to answer with (status_of) and one sentence.
enum class Refusal {
  kNone,
  kBadRequestLine,      // 400
  kBadStatusLine,       // response side only
  kBadField,            // 400: obs-fold, bare LF, bad name, control byte, empty name ...
  kBadFraming,          // 400: CL+TE, two CL, chunk syntax, TE other than a single chunked, cut ...
  kBadHost,             // 400: none or two
  kBadTarget,           // 400: not origin-form, CONNECT, absolute
  kUnsupportedVersion,  // 505
  kLineTooLong,         // 414 for a request target
  kHeadTooLarge,        // 431
  kTooManyFields,       // 431
  kBodyTooLarge,        // 413
  kMethodNotAllowed,    // 405: TRACE, CONNECT
};
int status_of(Refusal refusal);
std::string_view sentence_of(Refusal refusal);

}  // namespace slipstream::http
