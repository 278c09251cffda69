# Varnish collapsing identical POSTs and streaming to the waiting. The loader hands it the key of
# the body in X-Bench-Key: hashing bodies needs a module that is not in the base package, and
# getting the key for nothing only favours Varnish.
vcl 4.1;
import std;
backend stub {
  .host = "127.0.0.1";
  .port = "${upstream_port}";
  .first_byte_timeout = 700s;
  .between_bytes_timeout = 700s;
}
sub vcl_recv {
  if (!req.http.X-Bench-Key) { return (pass); }
  if (!std.cache_req_body(64KB)) { return (synth(413)); }
  return (hash);
}
sub vcl_hash { hash_data(req.http.X-Bench-Key); }
sub vcl_backend_fetch { if (bereq.http.X-Bench-Key) { set bereq.method = "POST"; } }
sub vcl_backend_response {
  set beresp.ttl = 30s;
  set beresp.do_stream = true;
  return (deliver);  # else the built-in rules refuse to share because of Cache-Control: no-cache
}
