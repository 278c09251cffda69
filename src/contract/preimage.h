// The bytes that are hashed into a key: docs/formats/key.md, written down in code.
//
// Every part stands behind its length and every list behind its count, so that no two different
// requests can spell the same bytes. A change here is a change of format: give kVersionTag a new
// number, so that mixed versions never share.
// Pure; nothing is allocated once the memory lent by the caller is large enough.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/contract.h"
#include "contract/form.h"
#include "contract/headers.h"

namespace slipstream::contract {

inline constexpr std::string_view kVersionTag = "slipstream-key-v2";

// How the body part that ends a preimage is to be read.
enum class BodyForm { kCanonicalJson, kForm, kRaw };

// Appends everything up to the body part's bytes. The caller appends those behind it, then calls
// seal_body with the size `out` has after this call. Sorts the lists of `reading`.
void append_prefix(std::string& out, const http::Head& head, const Scope& scope,
                   const Policy& policy, HeadReading& reading);
void seal_body(std::string& out, std::size_t prefix_size, BodyForm form);

// Appends the parts of a form: the same bytes whatever boundary stood between them.
void append_form(std::string& out, std::span<const FormPart> parts);

// Appends the credential fields that a scope is made of; appends nothing if none was presented.
void append_credentials(std::string& out, const http::Head& head,
                        std::vector<http::Head::Field>& scratch);

}  // namespace slipstream::contract
