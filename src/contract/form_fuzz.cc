// Forms under fuzzing: no crash, and what is accepted is rebuilt from its parts byte by byte.
#include <string>
#include <string_view>

#include "base/check.h"
#include "contract/form.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipstream::contract;
  static std::vector<FormPart> parts;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  (void)form_boundary(body.substr(0, 100));
  const auto read = read_form(body, "B", parts);
  if (!read) {
    SLIP_CHECK(read.error().offset <= size);
    return 0;
  }
  std::string again = "--B";
  for (const FormPart& part : parts) {
    SLIP_CHECK(!part.name.empty());
    SLIP_CHECK(part.content.find("\n--B") == std::string_view::npos);
    ((((again += "\r\n") += part.head) += "\r\n\r\n") += part.content) += "\r\n--B";
  }
  again += "--";
  SLIP_CHECK(body == again || body == again + "\r\n");
  return 0;
}
