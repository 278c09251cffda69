#include "lab/form.h"

#include <gtest/gtest.h>

namespace slipstream::lab {
namespace {

constexpr std::string_view kType = "multipart/form-data; boundary=\"x y\"";

TEST(FormParts, FindsNamesAndValues) {
  using namespace std::string_view_literals;
  FormParts parts(kType,
                  "--x y\r\ncontent-type: audio/wav\r\ncontent-disposition: form-data; "
                  "filename=\"a.wav\"; name=\"file\"\r\n\r\n\r\n--x\0y\r\n\r\n"
                  "--x y\r\nContent-Disposition: form-data; name=model\r\n\r\nm\r\n--x y--\r\n"sv);
  ASSERT_TRUE(parts.next());
  EXPECT_EQ(parts.part().name, "file");
  EXPECT_EQ(parts.part().value, "\r\n--x\0y\r\n"sv);
  ASSERT_TRUE(parts.next());
  EXPECT_EQ(parts.part().name, "model");
  EXPECT_EQ(parts.part().value, "m");
  EXPECT_FALSE(parts.next());
  EXPECT_TRUE(parts.whole());
}

TEST(FormParts, TakesEmptyValues) {
  FormParts parts(kType,
                  "--x y\r\nContent-Disposition: form-data; name=model\r\n\r\n\r\n--x y--\r\n");
  ASSERT_TRUE(parts.next());
  EXPECT_EQ(parts.part().name, "model");
  EXPECT_EQ(parts.part().value, "");
  EXPECT_FALSE(parts.next());
  EXPECT_TRUE(parts.whole());
}

TEST(FormParts, NeverReadsBeyondABrokenForm) {
  for (const std::string_view type : {std::string_view(), std::string_view("a/b; boundary="),
                                      std::string_view("a/b; boundary=\"x"), kType}) {
    for (const std::string_view body :
         {"", "--x y", "--x y\r\n", "--x y\r\n\r\n", "--x y\r\n\r\nabc", "nothing"}) {
      FormParts parts(type, body);
      EXPECT_FALSE(parts.next());
      EXPECT_FALSE(parts.whole());
    }
  }
}

}  // namespace
}  // namespace slipstream::lab
