# Varnish as a plain reverse proxy.
vcl 4.1;
backend stub {
  .host = "127.0.0.1";
  .port = "${upstream_port}";
  .first_byte_timeout = 700s;
  .between_bytes_timeout = 700s;
}
sub vcl_recv { return (pass); }
