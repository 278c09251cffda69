// Who the stub claims to be: the documents that gateways probe to learn which server, build and
// model they talk to, in the shapes of Ollama, llama.cpp, vLLM, SGLang and TGI.
//
// The values can be changed while the stub runs (POST /stub/identity), as if the server had been
// upgraded or the model been pulled again.
// Thread rule: a value, one thread at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lab/script.h"

namespace slipstream::lab {

struct Identity {
  std::string server = "any";  // or none, ollama, llamacpp, vllm, sglang, tgi: whose pages exist
  std::string build = "0.12.3";
  std::string digest = "8f4e1d3c5b7a9806f2e4d6c8ba0a1b3c5d7e9f01234567896a8b0c2d4e6f8091";
  std::string chat_template =  // template=...
      "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}";
  std::string context = "8192";          // tokens, digits
  std::string marker = "<__media_1__>";  // llama.cpp draws it at random when it starts

  std::string to_json() const;
};

// `defaults` with "name=value,name=value" on top; a value ends at a comma. Fails on an unknown name
// or server, or on a context that is no number.
Result<Identity, ScriptError> parse_identity(std::string_view settings, const Identity& defaults);

// The page of that path for `model`; nothing if this server has none.
std::optional<std::string> identity_page(std::string_view method, std::string_view path,
                                         const Identity& identity, std::string_view model);

}  // namespace slipstream::lab
