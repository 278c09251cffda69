#include "response.h"

#include <strings.h>

#include <cstdlib>

namespace slipstream::bench {
namespace {

// The value of `name` in a head's lines; empty if it is not there.
std::string_view field(std::string_view head, std::string_view name) {
  for (std::size_t line = head.find("\r\n"); line != std::string_view::npos;
       line = head.find("\r\n", line)) {
    line += 2;
    const std::string_view rest = head.substr(line);
    if (rest.size() <= name.size() || rest[name.size()] != ':') continue;
    if (strncasecmp(rest.data(), name.data(), name.size()) != 0) continue;
    std::string_view value = rest.substr(name.size() + 1);
    value = value.substr(0, value.find("\r\n"));
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    return value;
  }
  return {};
}

}  // namespace

void ResponseReader::take_head(std::string_view& bytes) {
  const std::size_t before = line_.size();
  line_.append(bytes);
  const std::size_t end = line_.find("\r\n\r\n", before < 3 ? 0 : before - 3);
  if (end == std::string::npos) {
    bytes = {};
    return;
  }
  bytes.remove_prefix(end + 4 - before);
  line_.resize(end + 2);
  status_ = line_.size() > 12 ? std::atoi(line_.c_str() + 9) : 0;
  const std::string_view length = field(line_, "content-length");
  if (!length.empty()) {
    left_ = std::strtoul(std::string(length).c_str(), nullptr, 10);
    phase_ = left_ == 0 ? Phase::kDone : Phase::kLength;
  } else {
    const bool chunked = field(line_, "transfer-encoding").starts_with("chunked");
    phase_ = chunked ? Phase::kChunkSize : Phase::kUntilClose;
  }
  line_.clear();
}

void ResponseReader::take_line(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  line_.append(bytes.substr(0, end));
  bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  if (end == std::string_view::npos) return;
  on_line();
  line_.clear();
}

void ResponseReader::on_line() {
  if (line_.empty() || line_.back() != '\r') {
    phase_ = Phase::kBroken;
  } else if (phase_ == Phase::kChunkSize) {
    left_ = std::strtoul(line_.c_str(), nullptr, 16);
    phase_ = left_ == 0 ? Phase::kTrailer : Phase::kChunk;
  } else if (phase_ == Phase::kChunkEnd) {
    phase_ = line_ == "\r" ? Phase::kChunkSize : Phase::kBroken;
  } else if (line_ == "\r") {
    phase_ = Phase::kDone;
  }
}

}  // namespace slipstream::bench
