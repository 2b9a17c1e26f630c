//! The doors of P: the proxy, the server of ICAP, and the services that they call.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "tests start servers and look at files"
)]

mod agree;
mod beside_needs_nginx_needs_haproxy;
mod bodies_and_time;
mod chaos;
mod examples;
mod fake_icap;
mod forward;
mod http2_behind;
mod hygiene;
mod icap_load;
mod icap_needs_c_icap;
mod icap_server;
mod icap_tracing;
mod liars;
mod needs_squid;
mod odd_answers;
mod odd_http2;
mod origin;
mod passing;
mod peers;
mod pressure;
mod reloaded_services;
mod running;
mod scripted;
mod shadows;
mod speed;
mod tls;
mod tls_behind;
mod tracing;
mod tunnels;
