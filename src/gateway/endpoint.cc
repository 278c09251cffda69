#include "gateway/endpoint.h"

#include "base/text.h"

namespace slipstream::gateway {

upstream::ClientOptions client_options(const config::Settings& settings) {
  upstream::ClientOptions options;
  options.endpoint.host = settings.upstream.url.address.host;
  options.endpoint.port = std::to_string(settings.upstream.url.address.port);
  options.endpoint.tls = settings.upstream.url.tls;
  options.connect_timeout_ms = settings.upstream.connect_timeout.count();
  options.write_timeout_ms = settings.upstream.write_timeout.count();
  options.idle_ms = settings.upstream.idle_timeout.count();
  options.connections_max = settings.upstream.connections_max;
  return options;
}

Result<std::unique_ptr<net::TlsContext>, net::TlsError> upstream_tls(
    const config::Settings& settings) {
  if (!settings.upstream.url.tls) return std::unique_ptr<net::TlsContext>();
  return net::TlsContext::client(settings.upstream.tls_ca, settings.upstream.tls_verify
                                                               ? net::TlsContext::Verify::kPeer
                                                               : net::TlsContext::Verify::kNothing);
}

std::string host_of(const config::Url& url) {
  const bool v6 = url.address.host.find(':') != std::string::npos;
  std::string host = v6 ? "[" + url.address.host + "]" : url.address.host;
  if (url.address.port != (url.tls ? 443 : 80)) {
    host += ':';
    append_decimal(host, url.address.port);
  }
  return host;
}

Profile configured_profile(const config::Settings& settings) {
  if (settings.upstream.profile) return *settings.upstream.profile;
  return identity::recognise_host(settings.upstream.url.address.host).value_or(Profile::kGeneric);
}

identity::Inspection::Setup inspection_setup(const config::Settings& settings) {
  identity::Inspection::Setup setup;
  setup.profile = settings.upstream.profile;
  setup.host = settings.upstream.url.address.host;
  setup.declared.artifact_digest = settings.upstream.declared.artifact_digest;
  setup.declared.command = settings.upstream.declared.command;
  setup.declared.label = settings.epoch;
  return setup;
}

Inspector::Target inspection_target(const config::Settings& settings) {
  return {host_of(settings.upstream.url), settings.upstream.url.path};
}

}  // namespace slipstream::gateway
