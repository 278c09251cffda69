// Judging an answer under fuzzing: no read outside the text, whatever it is; an object is refused
// as soon as anything stands behind it or its end is missing; white space around it changes
// nothing; and the cheap filter never contradicts the judge.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "contract/judge.h"
#include "contract/judge_scan.h"

namespace {

using namespace slipstream::contract;

// A buffer of just that size, so that the sanitizer sees a read past either end.
bool is_object(const std::vector<char>& text) {
  static AnswerScan scan;
  const std::vector<char> copy(text);
  AnswerFacts facts;
  return scan.scan({copy.data(), copy.size()}, facts);
}

void check_ends(const std::vector<char>& text) {
  for (const char behind : {'x', '}', ']', ',', '"', '{', '\0'}) {
    std::vector<char> longer = text;
    longer.push_back(behind);
    SLIP_CHECK(!is_object(longer));
  }
  std::vector<char> shorter = text;
  while (shorter.back() != '}') shorter.pop_back();  // white space
  shorter.pop_back();
  SLIP_CHECK(!is_object(shorter));

  std::vector<char> spaced = text;
  spaced.insert(spaced.begin(), {' ', '\t'});
  spaced.insert(spaced.end(), {'\r', '\n'});
  SLIP_CHECK(is_object(spaced));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static JudgeMemory memory;
  const std::vector<char> text(data, data + size);
  if (is_object(text)) check_ends(text);

  const std::string_view view(text.data(), text.size());
  for (const SurfaceRow& row : surfaces()) {
    const BodyJudgement judgement = judge_body(view, row.surface, memory);
    SLIP_CHECK(!judgement.error || may_be_error(view));
    SLIP_CHECK(!judgement.error || !judgement.finished);
    StreamJudge(memory, row.surface).observe(view);
  }
  return 0;
}
