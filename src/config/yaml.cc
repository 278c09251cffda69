#include "config/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <optional>
#include <sstream>

namespace slipstream::config {
namespace {

// Follows the parser's events; after the first fault it ignores the rest.
class Flattener final : public YAML::EventHandler {
 public:
  std::vector<YamlEntry> entries;
  std::optional<YamlFault> fault;

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) fail(mark, "a second document; one file holds one");
  }
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { fail(mark, "an alias (*name)"); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (!allowed(mark, "", anchor)) return;
    if (levels_.empty()) return;  // a file of comments only
    if (!key_) return fail(mark, "an empty key or list item");
    finish(YamlEntry::Kind::kEmpty, {});
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (!allowed(mark, tag, anchor)) return;
    if (levels_.empty()) return fail(mark, "a text where `name: value` lines are expected");
    if (in_list()) {
      YamlEntry& list = entries[levels_.back().entry];
      if (levels_.back().records > 0) return fail(mark, "a text among maps");
      list.items.push_back(value);
    } else if (!key_) {
      key_ = Key{value, mark.line + 1};
    } else {
      finish(YamlEntry::Kind::kScalar, {value});
    }
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    if (!allowed(mark, tag, anchor)) return;
    if (!key_) return fail(mark, "a list where a name is expected");
    finish(YamlEntry::Kind::kList, {});
    levels_.push_back({Level::Kind::kList, entries.size() - 1});
  }
  void OnSequenceEnd() override {
    if (!fault) levels_.pop_back();
  }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    if (!allowed(mark, tag, anchor)) return;
    if (in_list()) {
      Level& list = levels_.back();
      if (!entries[list.entry].items.empty()) return fail(mark, "a map among texts");
      std::string path = entries[list.entry].path + "[" + std::to_string(list.records++) + "]";
      entries.push_back({path, mark.line + 1, YamlEntry::Kind::kRecord, {}});
      sections_.push_back(std::move(path));
    } else if (!levels_.empty()) {
      if (!key_) return fail(mark, "a map where a text is expected");
      sections_.push_back(path_of(key_->name));
      key_.reset();
    }
    levels_.push_back({Level::Kind::kMap});
  }
  void OnMapEnd() override {
    if (fault) return;
    levels_.pop_back();
    if (!sections_.empty()) sections_.pop_back();
  }

 private:
  struct Level {
    enum class Kind { kMap, kList } kind;
    std::size_t entry = 0;    // of the list
    std::size_t records = 0;  // maps of the list
  };
  struct Key {
    std::string name;
    int line;
  };

  void fail(const YAML::Mark& mark, std::string what) {
    if (!fault) fault = YamlFault{mark.line + 1, std::move(what)};
  }

  // "?" marks a plain scalar, "!" a quoted one; any other tag was written by hand.
  bool allowed(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (fault) return false;
    if (anchor != 0) fail(mark, "an anchor (&name)");
    if (!tag.empty() && tag != "?" && tag != "!") fail(mark, "a tag (!name)");
    return !fault;
  }

  bool in_list() const { return !levels_.empty() && levels_.back().kind == Level::Kind::kList; }

  std::string path_of(const std::string& name) const {
    return sections_.empty() ? name : sections_.back() + "." + name;
  }

  void finish(YamlEntry::Kind kind, std::vector<std::string> items) {
    entries.push_back({path_of(key_->name), key_->line, kind, std::move(items)});
    key_.reset();
  }

  int documents_ = 0;
  std::optional<Key> key_;
  std::vector<std::string> sections_;
  std::vector<Level> levels_;
};

}  // namespace

Result<std::vector<YamlEntry>, YamlFault> flatten_yaml(std::string_view text) {
  Flattener flattener;
  try {
    // The end-of-document mark is not allowed inside quotes: without it yaml-cpp takes the rest of
    // the file for the value when a closing quote is missing.
    std::istringstream stream(std::string(text) + "\n...\n");
    YAML::Parser parser(stream);
    while (!flattener.fault && parser.HandleNextDocument(flattener)) {
    }
  } catch (const YAML::Exception& error) {
    if (!flattener.fault) {
      return Failure{YamlFault{error.mark.line + 1, "not valid YAML: " + error.msg}};
    }
  }
  if (flattener.fault) {
    return Failure{YamlFault{flattener.fault->line, "not accepted: " + flattener.fault->message}};
  }
  return std::move(flattener.entries);
}

}  // namespace slipstream::config
