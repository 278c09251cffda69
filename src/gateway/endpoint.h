// What the settings say of the upstream, in the words of those who call it. Pure, but for the files
// of TLS.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "config/settings.h"
#include "gateway/inspector.h"
#include "net/tls.h"
#include "upstream/client.h"

namespace slipstream::gateway {

upstream::ClientOptions client_options(const config::Settings& settings);
// Null for an http upstream.
Result<std::unique_ptr<net::TlsContext>, net::TlsError> upstream_tls(
    const config::Settings& settings);
// The Host field: without the port that its scheme implies.
std::string host_of(const config::Url& url);

// As configured or told by the host's name; kGeneric if neither.
Profile configured_profile(const config::Settings& settings);
// What is asked of the server to learn who it is, and where.
identity::Inspection::Setup inspection_setup(const config::Settings& settings);
Inspector::Target inspection_target(const config::Settings& settings);

}  // namespace slipstream::gateway
