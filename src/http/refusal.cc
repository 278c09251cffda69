#include "http/refusal.h"

namespace slipstream::http {

int status_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::kUnsupportedVersion:
      return 505;
    case Refusal::kLineTooLong:
      return 414;
    case Refusal::kHeadTooLarge:
    case Refusal::kTooManyFields:
      return 431;
    case Refusal::kBodyTooLarge:
      return 413;
    case Refusal::kMethodNotAllowed:
      return 405;
    default:
      return 400;
  }
}

std::string_view sentence_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNone:
      return "The message was not refused.";
    case Refusal::kBadRequestLine:
      return "The request line is malformed.";
    case Refusal::kBadStatusLine:
      return "The status line is malformed.";
    case Refusal::kBadField:
      return "A header field is malformed.";
    case Refusal::kBadFraming:
      return "The length of the body is ambiguous, malformed or cut short.";
    case Refusal::kBadHost:
      return "Exactly one valid Host field is required.";
    case Refusal::kBadTarget:
      return "The request target must be an absolute path.";
    case Refusal::kUnsupportedVersion:
      return "Only HTTP/1.1 and HTTP/1.0 are supported.";
    case Refusal::kLineTooLong:
      return "The request line is too long.";
    case Refusal::kHeadTooLarge:
      return "The header fields are too large.";
    case Refusal::kTooManyFields:
      return "There are too many header fields.";
    case Refusal::kBodyTooLarge:
      return "The body is too large.";
    case Refusal::kMethodNotAllowed:
      return "This method is never served.";
  }
  return "";
}

}  // namespace slipstream::http
