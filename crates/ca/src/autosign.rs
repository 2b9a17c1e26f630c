//! The decision whether a request is signed when it arrives.

use std::path::Path;

use kukla_world::{Disk, Program, RunError, World, clock, files};

use crate::{Autosign, CaError, CaOptions, CertificateRequest, pem};

/// The most characters of a program's output that are passed on to the log.
const MAX_NOTE: usize = 4096;

/// A decision, and remarks for the log.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) is_signed: bool,
    pub(crate) notes: Vec<String>,
}

/// Decides by the setting `autosign`. Whether its file is a list or a program is asked anew for every request.
pub(crate) fn decide(
    options: &CaOptions,
    name: &str,
    request: &CertificateRequest,
) -> Result<Verdict, CaError> {
    match &options.autosign {
        Autosign::Never => Ok(Verdict::default()),
        Autosign::Always => Ok(Verdict { is_signed: true, notes: Vec::new() }),
        Autosign::File(path) => match files::Status::of(path) {
            Err(_) => Ok(Verdict::default()),
            Ok(status) if status.is_executable() => Ok(run(options, path, name, request)),
            Ok(_) => Ok(listed(path, &pem::read(path)?, name)),
        },
    }
}

/// Looks a name up in a list of names and of globs such as `*.example.com`.
fn listed(path: &Path, list: &[u8], name: &str) -> Verdict {
    let mut verdict = Verdict::default();
    for line in String::from_utf8_lossy(list).lines() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        if line.contains(['#', ' ']) {
            let note = format!("Invalid pattern '{line}' found in {}", path.display());
            verdict.notes.push(note);
            continue;
        }
        verdict.is_signed |= matches(line, name);
    }
    verdict
}

/// Returns whether a line allows a name. `*.example.com` also allows `example.com`, as in Puppet Server.
fn matches(line: &str, name: &str) -> bool {
    if !line.starts_with('*') {
        return line == name;
    }
    let lower = line.to_lowercase();
    let pattern: Vec<&str> = lower.split('.').skip(1).collect();
    let parts: Vec<&str> = name.split('.').collect();
    parts.ends_with(&pattern)
}

/// Runs a program with the name as its argument and the request as its input; 0 signs. A program that fails to start, or
/// takes too long, does not sign.
fn run(options: &CaOptions, path: &Path, name: &str, request: &CertificateRequest) -> Verdict {
    let program = Program {
        path: path.to_owned(),
        arguments: vec![name.to_owned()],
        directory: None,
        environment: Vec::new(),
        input: request.to_pem().into_bytes(),
        merges_errors: false,
        deadline: clock::deadline(options.autosign_timeout),
    };
    let command = format!("Autosign command '{} {name}'", path.display());
    match Disk.run(&program) {
        Ok(output) => Verdict {
            is_signed: true,
            notes: note(&command, "stdout", &output).into_iter().collect(),
        },
        Err(RunError::Failed { status, output, errors }) => {
            let status = status.map_or_else(|| "a signal".to_owned(), |status| status.to_string());
            let refusal = format!("{command} rejected the certificate: exit status {status}");
            let output = [note(&command, "stdout", &output), note(&command, "stderr", &errors)];
            let notes = std::iter::once(refusal).chain(output.into_iter().flatten()).collect();
            Verdict { is_signed: false, notes }
        }
        Err(error) => {
            Verdict { is_signed: false, notes: vec![format!("{command} did not decide: {error}")] }
        }
    }
}

fn note(command: &str, stream: &str, output: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(output);
    let text: String = text.trim_end().chars().take(MAX_NOTE).collect();
    (!text.is_empty()).then(|| format!("{command} output on {stream}: {text}"))
}
