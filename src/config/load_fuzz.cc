// Any bytes as a configuration file: an error or settings, never a crash; and what print_config
// shows of accepted settings is accepted again and means the same.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "config/load.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipstream::config;
  LoadInput input;
  input.yaml_text.assign(reinterpret_cast<const char*>(data), size);
  input.yaml_name = "fuzz.yaml";
  const auto loaded = load(input);
  if (!loaded) {
    SLIP_CHECK(!loaded.error().message.empty());
    return 0;
  }
  // Masked, so they do not read back.
  if (!loaded->settings.scope.secret.empty() || !loaded->settings.tenants.empty()) return 0;
  input.yaml_text = print_config(*loaded);
  const auto again = load(input);
  SLIP_CHECK(again.ok());
  const auto plain = [](Loaded all) {
    for (Origin& origin : all.origins) origin = {};
    return print_config(all);
  };
  SLIP_CHECK(plain(*again) == plain(*loaded));
  return 0;
}
