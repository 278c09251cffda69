// The page as Prometheus reads it: the rules of text format 0.0.4 and those of `promtool check
// metrics`, applied to every line.
#include "telemetry/page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace slipstream::telemetry {
namespace {

struct Sample {
  std::string name;    // with _bucket, _sum or _count
  std::string labels;  // between the braces, without le
  std::string le;
  double value = 0;
};

struct Family {
  std::string name;
  std::string help;
  std::string type;
  std::vector<Sample> samples;
};

Sample sample_of(const std::string& line) {
  Sample sample;
  const std::size_t open = line.find('{');
  const std::size_t blank = line.rfind(' ');
  sample.name = line.substr(0, std::min(open, blank));
  sample.value = std::strtod(line.c_str() + blank, nullptr);
  if (open == std::string::npos) return sample;
  sample.labels = line.substr(open + 1, line.rfind('}') - open - 1);
  const std::size_t le = sample.labels.find("le=\"");
  if (le != std::string::npos) {
    sample.le = sample.labels.substr(le + 4, sample.labels.find('"', le + 4) - le - 4);
    sample.labels.erase(le == 0 ? 0 : le - 1);
  }
  return sample;
}

// HELP, then TYPE, then the samples: anything else fails the test.
std::vector<Family> parse(const std::string& page) {
  std::vector<Family> families;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, keyword, name, rest;
    if (line.starts_with('#')) {
      words >> hash >> keyword >> name;
      std::getline(words >> std::ws, rest);
    }
    if (keyword == "HELP") {
      families.push_back({.name = name, .help = rest, .type = {}, .samples = {}});
    } else if (keyword == "TYPE") {
      EXPECT_EQ(families.back().name, name) << "TYPE follows its HELP";
      EXPECT_EQ(families.back().type, "") << "a second TYPE of " << name;
      EXPECT_TRUE(families.back().samples.empty()) << "TYPE stands before the samples of " << name;
      families.back().type = rest;
    } else {
      families.back().samples.push_back(sample_of(line));
      EXPECT_TRUE(families.back().samples.back().name.starts_with(families.back().name)) << line;
    }
  }
  return families;
}

// Everything there can be: two workers, models that need escaping, all families with samples.
std::string full_page() {
  MetricsOptions options;
  options.workers = 2;
  options.label_values = {{LabelledCounter::kVerdicts, {"greedy", "sampled"}}};
  Metrics metrics(std::move(options));
  metrics.add_gauge("slipstream_live_flights", "Flights now.", [] { return 2.0; });
  metrics.add_gauge("slipstream_a_late_gauge", "Declared last, shown first.", [] { return 1.0; });
  for (std::size_t worker = 0; worker < 2; ++worker) {
    for (const char* model : {"z\"quoted\\model", "a", "m"}) {
      Series& series = metrics.worker(worker).series("chat", model, "e:1", "");
      for (std::size_t i = 0; i < kCounterCount; ++i) series.add(static_cast<Counter>(i));
      for (std::size_t i = 0; i < kLabelledCounterCount; ++i) {
        series.add(static_cast<LabelledCounter>(i), 1);
        series.add(static_cast<LabelledCounter>(i), 0);
      }
      for (std::size_t i = 0; i < kHistogramCount; ++i) {
        for (const double seconds : {0.0005, 0.3, 0.3, 59.0, 4000.0})
          series.observe(static_cast<Histogram>(i), seconds);
      }
    }
  }
  return metrics.expose();
}

TEST(Page, FamiliesStandOnceInOrderOfTheirNames) {
  const auto families = parse(full_page());
  ASSERT_EQ(families.size(), kCounterCount + kLabelledCounterCount + kHistogramCount + 5);
  for (std::size_t i = 0; i < families.size(); ++i) {
    const Family& family = families[i];
    EXPECT_NE(family.help, "") << family.name;
    EXPECT_NE(family.type, "") << family.name;
    EXPECT_FALSE(family.samples.empty()) << family.name;
    if (i > 0) EXPECT_LT(families[i - 1].name, family.name);
  }
  EXPECT_EQ(full_page(), full_page());
}

TEST(Page, NamesFollowTheirTypes) {
  for (const Family& family : parse(full_page())) {
    SCOPED_TRACE(family.name);
    EXPECT_EQ(family.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string::npos);
    EXPECT_EQ(family.name.ends_with("_total"), family.type == "counter");
    for (const char* reserved : {"_bucket", "_sum", "_count"})
      EXPECT_FALSE(family.name.ends_with(reserved));
    for (const Sample& sample : family.samples) {
      const std::string suffix = sample.name.substr(family.name.size());
      if (family.type == "histogram") {
        EXPECT_TRUE(suffix == "_bucket" || suffix == "_sum" || suffix == "_count") << suffix;
        EXPECT_EQ(sample.le.empty(), suffix != "_bucket");
      } else {
        EXPECT_EQ(suffix, "");
        EXPECT_EQ(sample.le, "") << "le is for histograms";
      }
    }
  }
}

TEST(Page, NoSeriesStandsTwice) {
  for (const Family& family : parse(full_page())) {
    std::set<std::string> seen;
    for (const Sample& sample : family.samples) {
      EXPECT_TRUE(seen.insert(sample.name + "{" + sample.labels + "}" + sample.le).second)
          << sample.name << sample.labels;
    }
  }
}

TEST(Page, BucketsAscendAndEndInTheCount) {
  for (const Family& family : parse(full_page())) {
    if (family.type != "histogram") continue;
    std::map<std::string, std::vector<Sample>> buckets;
    std::map<std::string, double> counts, sums;
    for (const Sample& sample : family.samples) {
      if (sample.name.ends_with("_bucket")) buckets[sample.labels].push_back(sample);
      if (sample.name.ends_with("_count")) counts[sample.labels] = sample.value;
      if (sample.name.ends_with("_sum")) sums[sample.labels] = sample.value;
    }
    EXPECT_EQ(buckets.size(), 3U) << family.name;
    for (const auto& [labels, row] : buckets) {
      SCOPED_TRACE(family.name + "{" + labels + "}");
      EXPECT_EQ(row.size(), kBucketCount);
      for (std::size_t i = 1; i < row.size(); ++i) {
        EXPECT_LT(std::strtod(row[i - 1].le.c_str(), nullptr),
                  std::strtod(row[i].le.c_str(), nullptr));
        EXPECT_LE(row[i - 1].value, row[i].value) << "cumulative";
      }
      EXPECT_EQ(row.back().le, "+Inf");
      EXPECT_EQ(row.back().value, counts.at(labels));
      EXPECT_EQ(counts.at(labels), 10.0);
      EXPECT_GT(sums.at(labels), 8000.0);
    }
  }
}

}  // namespace
}  // namespace slipstream::telemetry
