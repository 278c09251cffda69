// What `slipstream doctor` found out, and its two written forms. Pure.
#pragma once

#include <string>

#include "identity/inspection.h"

namespace slipstream::cli {

struct Diagnosis {
  std::string upstream;   // URL
  std::string failure{};  // why nobody answered; empty: reachable
  std::string today{};    // UTC date
  std::string model{};    // what proof and meaning are about; empty: all models
  bool conclusive = true;
  identity::Identity identity{};
  std::vector<identity::Inspection::Asked> asked{};
};

std::string diagnosis_table(const Diagnosis& diagnosis);
std::string diagnosis_json(const Diagnosis& diagnosis);

}  // namespace slipstream::cli
