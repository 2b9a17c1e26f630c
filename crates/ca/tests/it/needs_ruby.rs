//! Ruby's OpenSSL, which Puppet's agents use, reads what the authority writes.

use std::process::Command;

use crate::scratch::Scratch;

const SCRIPT: &str = r#"
require 'openssl'
dir = ARGV[0]
read = ->(name) { File.read(File.join(dir, name)) }
ca = OpenSSL::X509::Certificate.new(read['ca_crt.pem'])
key = OpenSSL::PKey.read(read['ca_key.pem'])
crl = OpenSSL::X509::CRL.new(read['ca_crl.pem'])
cert = OpenSSL::X509::Certificate.new(read['signed/a.example.pem'])
store = OpenSSL::X509::Store.new
store.add_cert(ca)
store.add_crl(crl)
store.flags = OpenSSL::X509::V_FLAG_CRL_CHECK | OpenSSL::X509::V_FLAG_CRL_CHECK_ALL
role = cert.extensions.find { |ext| ext.oid == '1.3.6.1.4.1.34380.1.1.13' }
puts ca.check_private_key(key), crl.verify(ca.public_key), store.verify(cert)
puts OpenSSL::ASN1.decode(role.value_der).value, cert.subject.to_s, crl.issuer.to_s
"#;

#[test]
fn ruby_reads_certificates_and_crls() {
    let scratch = Scratch::new();
    let authority = scratch.authority();
    // Without a type, as OpenSSL's command line writes values.
    let request = scratch.request(&["CN=a.example"], &["1.3.6.1.4.1.34380.1.1.13=DER:776562"]);
    authority.submit("a.example", &request).unwrap();
    authority.sign("a.example", None).unwrap();
    let output =
        Command::new("ruby").args(["-e", SCRIPT]).arg(scratch.path("ca")).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let expected = "true\ntrue\ntrue\nweb\n/CN=a.example\n/CN=Puppet CA: server.example\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{errors}");
}
