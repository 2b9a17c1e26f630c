//! Directories, keys and requests of tests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use kukla_ca::{Authority, CaOptions};

/// A directory that is removed at the end.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("kukla-ca-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn options(&self) -> CaOptions {
        let mut options = CaOptions::new(&self.path("ca"));
        options.ca_name = "Puppet CA: server.example".to_owned();
        options.key_length = 2048;
        options
    }

    /// Makes an authority with a key of this repository's tests, so that none has to be found.
    pub(crate) fn authority(&self) -> Authority {
        Authority::create(self.options()).unwrap()
    }

    pub(crate) fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Makes a request with OpenSSL. The subject has lines such as `CN=name`, the extensions such as
    /// `subjectAltName=DNS:name`.
    pub(crate) fn request(&self, subject: &[&str], extensions: &[&str]) -> Vec<u8> {
        let key = self.key("rsa.pem", &["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]);
        self.request_with(&key, subject, extensions, &[])
    }

    pub(crate) fn key(&self, name: &str, options: &[&str]) -> PathBuf {
        let path = self.path(name);
        if !path.exists() {
            let out = path.to_str().unwrap().to_owned();
            let mut arguments = vec!["genpkey", "-out", &out];
            arguments.extend(options);
            openssl(&arguments);
        }
        path
    }

    pub(crate) fn request_with(
        &self,
        key: &Path,
        subject: &[&str],
        extensions: &[&str],
        options: &[&str],
    ) -> Vec<u8> {
        let mut config =
            "[req]\nprompt=no\nstring_mask=utf8only\ndistinguished_name=dn\n".to_owned();
        if !extensions.is_empty() {
            config += "req_extensions=ext\n";
        }
        config += &format!("[dn]\n{}\n[ext]\n{}\n", subject.join("\n"), extensions.join("\n"));
        let config = self.write("req.cnf", &config);
        let (config, key) = (config.to_str().unwrap(), key.to_str().unwrap());
        let mut arguments = vec!["req", "-new", "-utf8", "-sha256", "-key", key, "-config", config];
        arguments.extend(options);
        openssl(&arguments)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs OpenSSL; returns what it printed.
pub(crate) fn openssl(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new("openssl").args(arguments).output().expect("openssl is installed");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "openssl {arguments:?}: {errors}");
    output.stdout
}

pub(crate) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}
