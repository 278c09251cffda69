#include "config/yaml.h"

#include <gtest/gtest.h>

#include <string>

namespace slipstream::config {
namespace {

using Kind = YamlEntry::Kind;

TEST(Yaml, FlattensMapsToPathsWithLines) {
  const auto entries = flatten_yaml(
      "listen: 0.0.0.0:80\n"
      "# comment\n"
      "coalesce:\n"
      "  grace_max: '1s'\n"
      "  harmless_fields: [a, \"b c\"]\n"
      "log:\n");
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 4U);
  EXPECT_EQ((*entries)[0].path, "listen");
  EXPECT_EQ((*entries)[1].path, "coalesce.grace_max");
  EXPECT_EQ((*entries)[1].line, 4);
  EXPECT_EQ((*entries)[1].items, std::vector<std::string>{"1s"});
  EXPECT_EQ((*entries)[2].kind, Kind::kList);
  EXPECT_EQ((*entries)[2].items, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ((*entries)[3].kind, Kind::kEmpty);
}

TEST(Yaml, MapsOfAListAreRecordsWithAnIndex) {
  const auto entries = flatten_yaml(
      "routes:\n"
      "  - name: a\n"
      "    models: [x, y]\n"
      "  - {}\n"
      "  - name: c\n"
      "empty: []\n");
  ASSERT_TRUE(entries) << entries.error().message;
  std::string seen;
  for (const YamlEntry& entry : *entries) {
    seen += entry.path + ":" + std::to_string(entry.line) + ":" +
            std::to_string(static_cast<int>(entry.kind)) + " ";
  }
  EXPECT_EQ(seen,
            "routes:1:1 routes[0]:2:3 routes[0].name:2:0 routes[0].models:3:1 routes[1]:4:3 "
            "routes[2]:5:3 routes[2].name:5:0 empty:6:1 ");
}

TEST(Yaml, NothingGivesNothing) {
  for (const char* text : {"", "\n", "# only a comment\n", "{}", "---\n", "---\n...\n"}) {
    const auto entries = flatten_yaml(text);
    ASSERT_TRUE(entries) << text;
    EXPECT_TRUE(entries->empty()) << text;
  }
}

TEST(Yaml, RefusesWhatHidesOrExplodes) {
  struct Case {
    const char* text;
    int line;
    const char* part;
  };
  for (const Case& c : std::initializer_list<Case>{{"a: &x 1\nb: *x\n", 1, "anchor"},
                                                   {"a: 1\nb: *x\n", 2, ""},
                                                   {"a: !!str 1\n", 1, "tag"},
                                                   {"a: 1\n---\nb: 2\n", 2, "second document"},
                                                   {"just text\n", 1, "name: value"},
                                                   {"- a\n- b\n", 1, "list"},
                                                   {"a:\n  - b: 1\n  - c\n", 3, "among maps"},
                                                   {"a:\n  - c\n  - b: 1\n", 3, "among texts"},
                                                   {"? {a: 1}\n: 1\n", 1, "map"},
                                                   {"a:\n  - [b]\n", 2, "list"},
                                                   {"a:\n  -\n", 0, "empty"},
                                                   {"? [a]\n: 1\n", 1, "list"},
                                                   {"a: [1\n", 0, ""},
                                                   {"a: \"x\n", 0, "not valid YAML"},
                                                   {"a: 'x\nb: 1\n", 0, "not valid YAML"},
                                                   {"\ta: 1\n", 1, ""}}) {
    const auto entries = flatten_yaml(c.text);
    ASSERT_FALSE(entries) << c.text;
    if (c.line > 0) EXPECT_EQ(entries.error().line, c.line) << c.text;
    EXPECT_NE(entries.error().message.find(c.part), std::string::npos)
        << c.text << ": " << entries.error().message;
  }
}

TEST(Yaml, DeepNestingIsAFaultNotACrash) {
  EXPECT_FALSE(flatten_yaml(std::string(100000, '[')));
  EXPECT_FALSE(flatten_yaml(std::string(100000, '{')));
}

}  // namespace
}  // namespace slipstream::config
