#include "contract/form.h"

#include <gtest/gtest.h>

#include <string>

namespace slipstream::contract {
namespace {

std::string fault_of(std::string_view body) {
  std::vector<FormPart> parts;
  const auto read = read_form(body, "B", parts);
  return read ? "" : std::string(to_string(read.error().fault));
}

const std::string kHead = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n";

TEST(Form, ReadsPartsAsTheyStand) {
  const std::string body =
      "--B\r\ncontent-disposition:form-data;name=a;filename=\"x\\\"; "
      "name=\\\"y.wav\"\r\nContent-Type: "
      "audio/wav\r\n\r\n\r\n--\r\n--C\r\n-B\r\n\r\n--B\r\nContent-Disposition: form-data; "
      "name=\"b\\\"\"\r\n\r\n\r\n--B--";
  std::vector<FormPart> parts;
  ASSERT_TRUE(read_form(body, "B", parts).ok());
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].name, "a");
  EXPECT_EQ(parts[0].content, "\r\n--\r\n--C\r\n-B\r\n");
  EXPECT_TRUE(parts[0].head.ends_with("audio/wav"));
  EXPECT_EQ(parts[1].name, "b\\\"");
  EXPECT_EQ(parts[1].content, "");
  EXPECT_EQ(fault_of("--B--"), "");
  EXPECT_EQ(fault_of("--B--\r\n"), "");
}

TEST(Form, RefusesWhatTwoParsersMayReadDifferently) {
  const std::string opening = "no opening boundary";
  const std::string closing = "no closing boundary";
  const std::string boundary = "an ambiguous boundary";
  const std::string head = "header fields of a part that are malformed or name it not exactly once";
  for (const auto& [body, fault] : std::vector<std::pair<std::string, std::string>>{
           {"", opening},
           {"\r\n" + kHead + "x\r\n--B--", opening},
           {"preamble\r\n" + kHead + "x\r\n--B--", opening},
           {"--C--", opening},
           {kHead + "x", closing},
           {kHead + "x\r\n--B", boundary},
           {kHead + "x\r\n--BB\r\n--B--", boundary},
           {kHead + "x\r\n--B \r\n--B--", boundary},
           {kHead + "x\n--B--", boundary},
           {kHead + "x\n--B\r\ny\r\n--B--", boundary},
           {"--B", boundary},
           {"--B\n", boundary},
           {kHead + "--B--", boundary},
           {kHead + "x\r\n--B--x", "trailing bytes"},
           {kHead + "x\r\n--B--\r\n\r\n", "trailing bytes"},
           {"--B\r\n\r\nx\r\n--B--", head},
           {"--B\r\nContent-Type: a\r\n\r\nx\r\n--B--", head},
           {"--B\r\nContent-Disposition: form-data\r\n\r\nx\r\n--B--", head},
           {"--B\r\nContent-Disposition: form-data; name=\"\"\r\n\r\nx\r\n--B--", head},
           {"--B\r\nContent-Disposition: form-data; name=\"a\r\n\r\nx\r\n--B--", head},
           {"--B\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\nx\r\n--B--", head},
           {"--B\r\nContent-Disposition: form-data; name=a; name*=b\r\n\r\nx\r\n--B--", head},
           {"--B\r\nContent-Disposition: attachment; name=a\r\n\r\nx\r\n--B--", head},
           {"--B\r\nContent-Disposition: form-data; name=a\r\n b\r\n\r\nx\r\n--B--", head},
           {"--B\r\nContent-Disposition: form-data; name=a\nX: b\r\n\r\nx\r\n--B--", head},
           {"--B\r\nContent-Disposition : form-data; name=a\r\n\r\nx\r\n--B--", head},
           {"--B\r\nX: " + std::string(kFormHeadMax, 'x') + "\r\n\r\nx\r\n--B--", head}}) {
    EXPECT_EQ(fault_of(body), fault) << body;
  }
  std::string many;
  for (std::size_t i = 0; i <= kFormPartsMax; ++i) many += kHead + "x\r\n";
  EXPECT_EQ(fault_of(many + "--B--"), "too many parts");
}

TEST(Form, TakesTheBoundaryOffTheContentType) {
  EXPECT_EQ(form_boundary("multipart/form-data; boundary=a"), "a");
  EXPECT_EQ(form_boundary("Multipart/Form-Data;BOUNDARY=\"a:b\""), "a:b");
  for (const char* type :
       {"", "application/json", "multipart/form-data", "multipart/mixed; boundary=a",
        "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"",
        "multipart/form-data; boundary=a; boundary=b", "multipart/form-data; charset=utf-8",
        "multipart/form-data; boundary=a b", "multipart/form-data; boundary=\"a b\""}) {
    EXPECT_EQ(form_boundary(type), std::nullopt) << type;
  }
  EXPECT_EQ(form_boundary("multipart/form-data; boundary=" + std::string(71, 'a')), std::nullopt);
}

TEST(Form, NamesThatRepeatAreFound) {
  std::vector<FormPart> parts = {{"", "a", ""}, {"", "b[]", ""}, {"", "b[]", ""}};
  EXPECT_EQ(repeated_part(parts), nullptr);
  parts.push_back({"", "a", "2"});
  EXPECT_EQ(repeated_part(parts), &parts[3]);
}

}  // namespace
}  // namespace slipstream::contract
