// What servers' answers say: facts_in() of probes.h, one function per question.
#include <array>

#include "identity/probes.h"
#include "json/reader.h"

namespace slipstream::identity {

namespace {

bool is_null(std::string_view raw) {
  return raw.empty() || raw == "null";
}

// A string's text; anything else as it is written.
std::string text_of(std::string_view raw) {
  std::string scratch;
  const auto text = json::text_of(raw, scratch);
  return std::string(text.value_or(raw));
}

class Reading {
 public:
  Reading(const Probe& probe, std::string_view canonical)
      : object(canonical), source_(std::string(probe.method) + " " + probe.path) {}

  std::string_view get(std::string_view name) const { return json::find(object, name); }
  void add(FactName name, std::string_view subject, std::string value) {
    if (value.empty()) return;
    facts.push_back({name, shown(subject), std::move(value), source_, Fact::Origin::kObserved});
  }
  // The raw value's text, if there is one.
  void add_raw(FactName name, std::string_view subject, std::string_view raw) {
    if (!is_null(raw)) add(name, subject, shown(text_of(raw)));
  }
  void add_template(std::string_view subject, std::string_view raw) {
    if (is_null(raw)) return;
    const std::string text = text_of(raw);
    add(FactName::kTemplate, subject, hashed(text));
    if (prints_date(text)) add(FactName::kTemplateDate, subject, "printed by the template");
  }

  std::string_view object;
  std::vector<Fact> facts;

 private:
  std::string source_;
};

// `{"a":1,"b":2}` of the members that are there, so that others of the object do not count.
std::string chosen(std::string_view object, std::span<const std::string_view> names) {
  std::string out;
  for (const std::string_view name : names) {
    const std::string_view value = json::find(object, name);
    if (is_null(value)) continue;
    out += (out.empty() ? "" : " ") + std::string(name) + "=" + text_of(value);
  }
  return out;
}

// The same for all members but those.
std::string without(std::string_view object, std::span<const std::string_view> names) {
  std::string out;
  for (json::Members member(object); member.next();) {
    bool left_out = false;
    for (const std::string_view name : names) left_out |= member.name() == name;
    if (left_out) continue;
    out += std::string(member.name()) + "=" + std::string(member.value()) + "\n";
  }
  return out;
}

// A llama.cpp router starts each model with a port of its own.
std::string stable_arguments(std::string_view list) {
  std::string out;
  bool skip = false;
  for (json::Elements argument(list); argument.next();) {
    const std::string_view word = argument.value();
    if (!skip && word != R"("--port")" && word != R"("--host")" && word != R"("--api-key")") {
      out += std::string(word) + "\n";
    }
    skip = !skip && (word == R"("--port")" || word == R"("--host")" || word == R"("--api-key")");
  }
  return out;
}

void read_models(Reading& in) {
  static constexpr std::string_view kDetails[] = {"n_params", "size", "n_vocab", "n_ctx_train",
                                                  "n_embd"};
  for (json::Elements model(in.get("data")); model.next();) {
    const std::string_view one = model.value();
    const std::string id = text_of(json::find(one, "id"));
    in.add_raw(FactName::kModel, id, json::find(one, "id"));
    in.add_raw(FactName::kModelPath, id, json::find(one, "root"));
    in.add_raw(FactName::kAdapters, id, json::find(one, "parent"));
    in.add_raw(FactName::kContextLength, id, json::find(one, "max_model_len"));
    const std::string details = chosen(json::find(one, "meta"), kDetails);
    if (!details.empty()) in.add(FactName::kModelDetails, id, shown(details));
    const std::string command = stable_arguments(json::find(json::find(one, "status"), "args"));
    if (!command.empty()) in.add(FactName::kCommand, id, hashed(command));
  }
}

void read_sglang_server(Reading& in) {
  // What differs between equal servers or while one runs, and what is secret.
  static constexpr std::string_view kPassing[] = {"internal_states",
                                                  "last_gen_throughput",
                                                  "avg_spec_accept_length",
                                                  "load",
                                                  "memory_usage",
                                                  "status",
                                                  "host",
                                                  "port",
                                                  "nccl_port",
                                                  "dist_init_addr",
                                                  "node_rank",
                                                  "base_gpu_id",
                                                  "random_seed",
                                                  "api_key",
                                                  "admin_api_key",
                                                  "version"};
  in.add_raw(FactName::kBuild, "", in.get("version"));
  in.add_raw(FactName::kModelPath, "", in.get("model_path"));
  in.add_raw(FactName::kTokenizer, "", in.get("tokenizer_path"));
  in.add_raw(FactName::kContextLength, "", in.get("context_length"));
  in.add(FactName::kCommand, "", hashed(without(in.object, kPassing)));
}

void read_llamacpp_props(Reading& in) {
  const std::string_view defaults = in.get("default_generation_settings");
  in.add_raw(FactName::kModelPath, "", in.get("model_path"));
  in.add_raw(FactName::kModelDetails, "", in.get("model_ftype"));
  in.add_raw(FactName::kBuild, "", in.get("build_info"));
  in.add_raw(FactName::kContextLength, "", json::find(defaults, "n_ctx"));
  const std::string_view params = json::find(defaults, "params");
  if (!is_null(params)) in.add(FactName::kSamplingDefaults, "", hashed(params));
  in.add_template("", in.get("chat_template"));
  in.add_template("", in.get("chat_template_tool_use"));
}

void read_ollama_tags(Reading& in) {
  static constexpr std::string_view kDetails[] = {"family", "parameter_size", "quantization_level"};
  for (json::Elements model(in.get("models")); model.next();) {
    const std::string_view one = model.value();
    const std::string name = text_of(json::find(one, "name"));
    in.add_raw(FactName::kModel, name, json::find(one, "name"));
    in.add_raw(FactName::kArtifactDigest, name, json::find(one, "digest"));
    const std::string details = chosen(json::find(one, "details"), kDetails);
    if (!details.empty()) in.add(FactName::kModelDetails, name, shown(details));
    in.add_raw(FactName::kRemote, name, json::find(one, "remote_model"));
    in.add_raw(FactName::kRemote, name, json::find(one, "remote_host"));
  }
}

void read_ollama_show(Reading& in, std::string_view model) {
  in.add_template(model, in.get("template"));
  const std::string_view parameters = in.get("parameters");
  if (!is_null(parameters)) in.add(FactName::kSamplingDefaults, model, hashed(text_of(parameters)));
  in.add_raw(FactName::kRemote, model, in.get("remote_model"));
  // A renderer is a template inside the server: nobody sees whether it prints the date.
  const std::string renderer = text_of(in.get("renderer"));
  if (renderer.empty() || renderer == "null") return;
  in.add(FactName::kTemplate, model, "renderer " + shown(renderer));
  in.add(FactName::kTemplateDate, model, "perhaps printed by the built-in renderer");
}

void read_tgi_info(Reading& in) {
  static constexpr std::string_view kNotFlags[] = {"model_id", "model_sha",    "version",
                                                   "sha",      "docker_label", "router"};
  static constexpr std::string_view kBuild[] = {"version", "sha", "docker_label"};
  in.add_raw(FactName::kModelPath, "", in.get("model_id"));
  in.add_raw(FactName::kArtifactDigest, "", in.get("model_sha"));
  in.add_raw(FactName::kContextLength, "", in.get("max_total_tokens"));
  in.add(FactName::kBuild, "", shown(chosen(in.object, kBuild)));
  in.add(FactName::kCommand, "", hashed(without(in.object, kNotFlags)));
}

void read_lmstudio_models(Reading& in) {
  static constexpr std::string_view kDetails[] = {"quantization", "size_bytes", "format"};
  for (json::Elements model(in.get("models")); model.next();) {
    const std::string_view one = model.value();
    const std::string key = text_of(json::find(one, "key"));
    in.add_raw(FactName::kModel, key, json::find(one, "key"));
    const std::string details = chosen(one, kDetails);
    if (!details.empty()) in.add(FactName::kModelDetails, key, shown(details));
    for (json::Elements loaded(json::find(one, "loaded_instances")); loaded.next();) {
      const std::string_view config = json::find(loaded.value(), "config");
      if (!is_null(config)) in.add(FactName::kCommand, key, hashed(config));
    }
  }
}

void read(const Probe& probe, Reading& in) {
  switch (probe.question) {
    case Question::kModels:
      return read_models(in);
    case Question::kVersion:
    case Question::kOllamaVersion:
      return in.add_raw(FactName::kBuild, "", in.get("version"));
    case Question::kTokenizerInfo:
      in.add_raw(FactName::kTokenizer, "", in.get("tokenizer_class"));
      return in.add_template("", in.get("chat_template"));
    case Question::kSglangModel:
      in.add_raw(FactName::kModelPath, "", in.get("model_path"));
      in.add_raw(FactName::kWeightVersion, "", in.get("weight_version"));
      return in.add_raw(FactName::kSamplingDefaults, "", in.get("preferred_sampling_params"));
    case Question::kSglangServer:
      return read_sglang_server(in);
    case Question::kLlamaCppProps:
      return read_llamacpp_props(in);
    case Question::kLlamaCppAdapters:
      return in.add(FactName::kAdapters, "", in.object == "[]" ? "none" : hashed(in.object));
    case Question::kOllamaTags:
      return read_ollama_tags(in);
    case Question::kOllamaShow:
      return read_ollama_show(in, probe.subject);
    case Question::kTgiInfo:
      return read_tgi_info(in);
    case Question::kLmStudioModels:
      return read_lmstudio_models(in);
  }
}

}  // namespace

std::vector<Fact> facts_in(const Probe& probe, std::string_view canonical) {
  Reading in(probe, canonical);
  read(probe, in);
  return std::move(in.facts);
}

}  // namespace slipstream::identity
