//! Header fields of a proxy's query, each of which may occur only once.

use hyper::HeaderMap;
use hyper::header::TRANSFER_ENCODING;
use kukla_plang::ip::Ip;

use super::Proxy;
use super::refusal::Refusal;

/// The header fields of a question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Headers<'a> {
    map: &'a HeaderMap,
    pub(super) proxy: Proxy,
}

impl<'a> Headers<'a> {
    pub(super) fn new(map: &'a HeaderMap, proxy: Proxy) -> Self {
        Self { map, proxy }
    }

    /// Returns the value of a field. A repeated field is refused: there is no way to know which one the proxy set.
    pub(super) fn single(&self, name: &str) -> Result<Option<&'a [u8]>, Refusal> {
        let mut values = self.map.get_all(name).iter();
        let value = values.next().map(|value| value.as_bytes());
        if values.next().is_some() {
            let reason = format!("header `{name}` is there twice; {}", self.advice(name));
            return Err(Refusal::proxy(reason));
        }
        Ok(value)
    }

    /// Like [`single`](Self::single), but an empty field counts as none.
    pub(super) fn filled(&self, name: &str) -> Result<Option<&'a [u8]>, Refusal> {
        Ok(self.single(name)?.filter(|value| !value.is_empty()))
    }

    /// Like [`single`](Self::single), but the field must be present and not empty.
    pub(super) fn required(&self, name: &str) -> Result<&'a [u8], Refusal> {
        let state = match self.single(name)? {
            None => "missing header",
            Some(b"") => "empty header",
            Some(value) => return Ok(value),
        };
        Err(Refusal::proxy(format!("{state} `{name}`; {}", self.advice(name))))
    }

    /// Whether a field is present, empty or not.
    pub(super) fn has(&self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    /// Refuses a question with a chunked body.
    ///
    /// No proxy sends one, and hyper drops a `Content-Length` beside it, so that a query with both can't be
    /// distinguished from a query with one of them.
    pub(super) fn refuse_transfer_encoding(&self) -> Result<(), Refusal> {
        if !self.map.contains_key(TRANSFER_ENCODING) {
            return Ok(());
        }
        let advice = "with nginx, set `proxy_pass_request_body off;`";
        Err(Refusal::proxy(format!("header `Transfer-Encoding`: a question has no body; {advice}")))
    }

    /// Returns a method, which must be a token of HTTP.
    pub(super) fn method(&self, method: &'a [u8]) -> Result<&'a [u8], Refusal> {
        let is_token =
            |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
        if method.iter().all(is_token) {
            return Ok(method);
        }
        Err(Refusal::client("the method of the request is no token of HTTP"))
    }

    /// Returns the scheme; `https` if the proxy does not set it.
    pub(super) fn scheme(&self) -> Result<&'a [u8], Refusal> {
        let name = "X-Forwarded-Proto";
        match self.filled(name)? {
            None => Ok(b"https"),
            Some(scheme @ (b"http" | b"https" | b"ws" | b"wss")) => Ok(scheme),
            Some(_) => {
                let reason = format!("header `{name}` has no scheme; {}", self.advice(name));
                Err(Refusal::proxy(reason))
            }
        }
    }

    /// Returns the host and port of the request if they differ from `Host`, and validates the ones that count.
    pub(super) fn authority(&self) -> Result<Option<&'a [u8]>, Refusal> {
        let host = self.single("Host")?;
        let forwarded = match self.proxy {
            Proxy::Traefik | Proxy::Caddy => self.filled("X-Forwarded-Host")?,
            // Both pass on the client's fields unchanged.
            Proxy::Nginx | Proxy::Envoy => None,
        };
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~:[]".contains(byte);
        if forwarded.or(host).is_none_or(|authority| authority.iter().all(is_plain)) {
            return Ok(forwarded);
        }
        let name = if forwarded.is_some() { "X-Forwarded-Host" } else { "Host" };
        Err(Refusal::client(format!("header `{name}` has more than a host and a port")))
    }

    /// Returns the address of the client.
    ///
    /// nginx sets `X-Real-IP`. The others append the address that they saw to `X-Forwarded-For`, a list over all of its
    /// lines: the last address is theirs, earlier ones may be forged by the client.
    pub(super) fn client(&self) -> Result<Option<Ip>, Refusal> {
        let address = match self.proxy {
            Proxy::Nginx => self.single("X-Real-IP")?,
            Proxy::Traefik | Proxy::Caddy | Proxy::Envoy => {
                let last_line = self.map.get_all("X-Forwarded-For").iter().next_back();
                last_line.and_then(|list| list.as_bytes().rsplit(|byte| *byte == b',').next())
            }
        };
        Ok(address.and_then(|address| Ip::parse(address.trim_ascii())))
    }

    /// Returns how to make the proxy set a field.
    pub(super) fn advice(&self, name: &str) -> String {
        let variable = match name {
            "X-Original-Method" => "$request_method",
            "X-Original-URI" => "$request_uri",
            "X-Real-IP" => "$remote_addr",
            "X-Forwarded-Proto" => "$scheme",
            "X-Client-Verify" => "$ssl_client_verify",
            "X-Client-Cert" => "$ssl_client_escaped_cert",
            "X-Client-DN" => "$ssl_client_s_dn",
            _ => "VALUE",
        };
        match (self.proxy, name) {
            (Proxy::Nginx, _) => {
                format!("with nginx, set it by `proxy_set_header {name} {variable};`")
            }
            (Proxy::Traefik, "X-Forwarded-Tls-Client-Cert") => {
                "with Traefik, set `pem: true` in `passTLSClientCert`, before `forwardAuth`"
                    .to_owned()
            }
            (Proxy::Traefik, _) => {
                "Traefik's `forwardAuth` sets it once: check `--from` and `trustForwardHeader`"
                    .to_owned()
            }
            (Proxy::Caddy, "X-Client-Cert") => "with Caddy, set it by `header_up X-Client-Cert \
                 {http.request.tls.client.certificate_der_base64}`"
                .to_owned(),
            (Proxy::Caddy, _) => "Caddy's `forward_auth` sets it once: check `--from`".to_owned(),
            (Proxy::Envoy, _) => {
                "with Envoy, set `forward_client_cert_details: SANITIZE_SET`".to_owned()
            }
        }
    }
}
