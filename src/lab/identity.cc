#include "lab/identity.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "json/escape.h"
#include "lab/fill.h"

namespace slipstream::lab {

namespace {

struct Setting {
  std::string_view name;
  std::string Identity::* member;
};

constexpr std::array kSettings = {
    Setting{"server", &Identity::server},   Setting{"build", &Identity::build},
    Setting{"digest", &Identity::digest},   Setting{"template", &Identity::chat_template},
    Setting{"context", &Identity::context}, Setting{"marker", &Identity::marker},
};

constexpr std::array<std::string_view, 7> kServers = {"any",  "none",   "ollama", "llamacpp",
                                                      "vllm", "sglang", "tgi"};

// Gaps: $m model, $b build, $d digest, $t template and $k marker, quoted; $x context.
struct Page {
  std::string_view server;  // "any": only if all are claimed together; empty: in every case
  std::string_view method;
  std::string_view path;
  std::string_view pattern;
};

constexpr std::string_view kModelInfo =
    R"({"model_path":$m,"tokenizer_path":$m,"is_generation":true,)"
    R"("preferred_sampling_params":null,"weight_version":$d})";
constexpr std::string_view kServerInfo =
    R"({"model_path":$m,"tokenizer_path":$m,"served_model_name":$m,"context_length":$x,)"
    R"("tp_size":1,"dtype":"auto","chat_template":$t,"version":$b})";
constexpr std::string_view kOllamaDetails =
    R"("details":{"parent_model":"","format":"gguf","family":"stub","families":["stub"],)"
    R"("parameter_size":"1B","quantization_level":"Q4_K_M"})";

constexpr std::array kPages = {
    Page{"", "GET", "/health", R"({"status":"ok"})"},

    Page{"any", "GET", "/v1/models",
         R"({"object":"list","data":[{"id":$m,"object":"model","created":1700000000,)"
         R"("owned_by":"slipstream","root":$m,"parent":null,"max_model_len":$x,)"
         R"("meta":{"vocab_type":1,"n_vocab":32000,"n_ctx_train":$x,"n_embd":64,)"
         R"("n_params":1000000,"size":511000}}]})"},
    Page{"llamacpp", "GET", "/v1/models",
         R"({"object":"list","data":[{"id":$m,"object":"model","created":1700000000,)"
         R"("owned_by":"llamacpp","meta":{"vocab_type":1,"n_vocab":32000,"n_ctx_train":$x,)"
         R"("n_embd":64,"n_params":1000000,"size":511000}}]})"},
    Page{"vllm", "GET", "/v1/models",
         R"({"object":"list","data":[{"id":$m,"object":"model","created":1700000000,)"
         R"("owned_by":"vllm","root":$m,"parent":null,"max_model_len":$x,"permission":[]}]})"},
    Page{"sglang", "GET", "/v1/models",
         R"({"object":"list","data":[{"id":$m,"object":"model","created":1700000000,)"
         R"("owned_by":"sglang","root":$m,"parent":null,"max_model_len":$x}]})"},
    Page{"", "GET", "/v1/models",
         R"({"object":"list","data":[{"id":$m,"object":"model","created":1700000000,)"
         R"("owned_by":"slipstream"}]})"},

    Page{"ollama", "GET", "/api/version", R"({"version":$b})"},
    Page{"ollama", "GET", "/api/tags",
         R"({"models":[{"name":$m,"model":$m,"modified_at":"2023-11-14T22:13:20Z",)"
         R"("size":511000,"digest":$d,$o}]})"},
    Page{"ollama", "GET", "/api/ps",
         R"({"models":[{"name":$m,"model":$m,"size":511000,"digest":$d,$o,)"
         R"("expires_at":"2033-11-14T22:13:20Z","size_vram":0,"context_length":$x}]})"},
    Page{"ollama", "POST", "/api/show",
         R"({"modelfile":"FROM stub","parameters":"temperature 0.8","template":$t,$o,)"
         R"("model_info":{"general.architecture":"stub","stub.context_length":$x},)"
         R"("capabilities":["completion","embedding"],"modified_at":"2023-11-14T22:13:20Z"})"},

    Page{"llamacpp", "GET", "/props",
         R"({"default_generation_settings":{"id":0,"id_task":-1,"n_ctx":$x,"speculative":false,)"
         R"("is_processing":false,"params":{"n_predict":-1,"seed":4294967295,"temperature":0.8,)"
         R"("dynatemp_range":0.0,"top_k":40,"top_p":0.95,"min_p":0.05,"xtc_probability":0.0,)"
         R"("xtc_threshold":0.1,"typical_p":1.0,"repeat_last_n":64,"repeat_penalty":1.0,)"
         R"("presence_penalty":0.0,"frequency_penalty":0.0,"dry_multiplier":0.0,"mirostat":0,)"
         R"("samplers":["penalties","dry","top_k","typ_p","top_p","min_p","xtc","temperature"]}},)"
         R"("total_slots":4,"model_alias":$m,"model_path":"/models/stub.gguf",)"
         R"("model_ftype":"Q4_K - Medium","modalities":{"vision":false,"audio":false},)"
         R"("media_marker":$k,"chat_template":$t,"bos_token":"<s>","eos_token":"</s>",)"
         R"("build_info":$b,"is_sleeping":false})"},
    Page{"llamacpp", "GET", "/lora-adapters", "[]"},

    Page{"vllm", "GET", "/version", R"({"version":$b})"},

    Page{"sglang", "GET", "/get_model_info", kModelInfo},
    Page{"sglang", "GET", "/model_info", kModelInfo},
    Page{"sglang", "GET", "/get_server_info", kServerInfo},
    Page{"sglang", "GET", "/server_info", kServerInfo},

    Page{"tgi", "GET", "/info",
         R"({"model_id":$m,"model_sha":$d,"model_pipeline_tag":"text-generation",)"
         R"("max_concurrent_requests":128,"max_best_of":2,"max_stop_sequences":4,)"
         R"("max_input_tokens":$x,"max_total_tokens":$x,"validation_workers":2,)"
         R"("max_client_batch_size":4,"router":"text-generation-router","version":$b,)"
         R"("sha":"stub","docker_label":"sha-stub"})"},
};

void put(std::string& out, char gap, const Identity& identity, std::string_view model) {
  switch (gap) {
    case 'm':
      return json::append_quoted(out, model);
    case 'b':
      return json::append_quoted(out, identity.build);
    case 'd':
      return json::append_quoted(out, identity.digest);
    case 't':
      return json::append_quoted(out, identity.chat_template);
    case 'k':
      return json::append_quoted(out, identity.marker);
    case 'o':
      out += kOllamaDetails;
      return;
    default:
      out += identity.context;
  }
}

}  // namespace

std::string Identity::to_json() const {
  std::string out = "{";
  for (const Setting& setting : kSettings) {
    if (out.size() > 1) out += ',';
    json::append_quoted(out, setting.name);
    out += ':';
    json::append_quoted(out, this->*setting.member);
  }
  return out + '}';
}

Result<Identity, ScriptError> parse_identity(std::string_view settings, const Identity& defaults) {
  Identity identity = defaults;
  while (!settings.empty()) {
    const std::string_view setting = settings.substr(0, settings.find(','));
    settings.remove_prefix(std::min(settings.size(), setting.size() + 1));
    const std::size_t equals = setting.find('=');
    const auto known =
        std::ranges::find(kSettings, trim(setting.substr(0, equals)), &Setting::name);
    if (known == kSettings.end() || equals == std::string_view::npos) {
      return Failure{ScriptError{"unknown identity setting '" + std::string(setting) + "'"}};
    }
    identity.*(known->member) = trim(setting.substr(equals + 1));
  }
  if (std::ranges::find(kServers, identity.server) == kServers.end()) {
    return Failure{ScriptError{"unknown server '" + identity.server + "'"}};
  }
  if (!parse_decimal(identity.context)) {
    return Failure{ScriptError{"context '" + identity.context + "' is no number"}};
  }
  return identity;
}

std::optional<std::string> identity_page(std::string_view method, std::string_view path,
                                         const Identity& identity, std::string_view model) {
  for (const Page& page : kPages) {
    const bool served =
        page.server.empty() || page.server == identity.server || identity.server == "any";
    if (!served || page.method != method || page.path != path) continue;
    std::string out;
    fill(out, page.pattern, [&](std::string& to, char gap) { put(to, gap, identity, model); });
    return out;
  }
  return std::nullopt;
}

}  // namespace slipstream::lab
