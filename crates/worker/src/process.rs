//! A process that runs real Ruby.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use kukla_base::cancel;
use kukla_pcore::Value;
use kukla_world::clock::{self, Stopwatch};
use kukla_world::{Coprocess, Pipes};

use crate::message::Said;
use crate::{Ruby, WorkerError, msgpack};

/// The command line of Ruby, which reads the script from the pipe, so that no file has to be written.
const BOOT: &str = "eval(STDIN.binmode.read(STDIN.read(4).unpack1('N')).force_encoding('UTF-8'), TOPLEVEL_BINDING, 'kukla-worker')";

/// The worker's Ruby code.
const SCRIPT: &str = concat!(
    include_str!("../ruby/wire.rb"),
    include_str!("../ruby/proxies.rb"),
    include_str!("../ruby/puppet.rb"),
    include_str!("../ruby/template.rb"),
    include_str!("../ruby/serve.rb"),
);

/// The maximum length of a message.
const MAX_FRAME: usize = 1 << 28;

/// The maximum length of its standard error that is kept.
const MAX_COMPLAINT: usize = 2_000;

/// The interval at which a waiting thread checks whether its compilation was stopped.
pub(crate) const SLICE: Duration = Duration::from_millis(5);

/// Returns an error if the compilation of this thread was stopped.
pub(crate) fn stopped() -> Result<(), WorkerError> {
    cancel::requested().map_or(Ok(()), |reason| Err(WorkerError::Stopped(reason)))
}

/// A process, which is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    _program: Coprocess,
    ruby: Ruby,
    to: Sender<Vec<u8>>,
    from: Receiver<Vec<u8>>,
    complaint: Arc<Mutex<Vec<u8>>>,
}

impl Process {
    pub(crate) fn start(command: &[String]) -> Result<Self, WorkerError> {
        let (ruby, before) =
            command.split_first().map_or(("ruby", &[][..]), |(ruby, rest)| (ruby, rest));
        let mut arguments: Vec<&str> = before.iter().map(String::as_str).collect();
        arguments.extend(["-W0", "-EUTF-8:UTF-8", "-e", BOOT]);
        let (program, Pipes { input, output, errors }) = Coprocess::start(ruby, &arguments)
            .map_err(|error| WorkerError::Missing(format!("{ruby}: {error}")))?;
        // Threads, since neither writing nor reading may block the caller beyond the deadline of a call.
        let (to, to_write) = channel::<Vec<u8>>();
        thread::spawn(move || write_all(input, &to_write));
        let (read, from) = channel();
        thread::spawn(move || read_all(output, &read));
        let complaint = Arc::<Mutex<Vec<u8>>>::default();
        let kept = Arc::clone(&complaint);
        thread::spawn(move || keep_all(errors, &kept));
        let process = Self { _program: program, ruby: Ruby::default(), to, from, complaint };
        process.write(SCRIPT.as_bytes())?;
        Ok(process)
    }

    /// Returns the version of its Ruby.
    pub(crate) const fn ruby(&self) -> &Ruby {
        &self.ruby
    }

    pub(crate) fn set_ruby(&mut self, ruby: Ruby) {
        self.ruby = ruby;
    }

    /// Sends a message.
    pub(crate) fn say(&self, message: &Value) -> Result<(), WorkerError> {
        self.write(&msgpack::write(message))
    }

    fn write(&self, bytes: &[u8]) -> Result<(), WorkerError> {
        let length = u32::try_from(bytes.len()).ok().filter(|_| bytes.len() <= MAX_FRAME);
        let length = length.ok_or(WorkerError::Nonsense("a message is too long"))?;
        let frame = [&length.to_be_bytes(), bytes].concat();
        self.to.send(frame).map_err(|_| self.died())
    }

    /// Waits for a message, and subtracts the time from the time that is left.
    pub(crate) fn hear(&self, left: &mut Duration, limit: Duration) -> Result<Said, WorkerError> {
        loop {
            let start = Stopwatch::start();
            let heard = self.from.recv_timeout((*left).min(SLICE));
            *left = left.saturating_sub(start.elapsed());
            match heard {
                Ok(bytes) => return Said::read(&bytes),
                Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(WorkerError::Hangs(limit.as_secs()));
                }
                Err(RecvTimeoutError::Timeout) => stopped()?,
            }
        }
    }

    fn died(&self) -> WorkerError {
        // Its standard error may not have arrived yet.
        clock::pause(Duration::from_millis(50));
        let said = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        let said = String::from_utf8_lossy(&said);
        let line = said.lines().find(|line| !line.trim().is_empty());
        WorkerError::Died(line.unwrap_or("it said nothing").to_owned())
    }
}

fn write_all(mut input: impl Write, frames: &Receiver<Vec<u8>>) {
    for frame in frames {
        if input.write_all(&frame).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

fn read_all(mut output: impl Read, frames: &Sender<Vec<u8>>) {
    let mut length = [0; 4];
    while output.read_exact(&mut length).is_ok() {
        let length = u32::from_be_bytes(length) as usize;
        let mut frame = Vec::new();
        let wanted = u64::try_from(length).unwrap_or(u64::MAX);
        let is_whole = length <= MAX_FRAME
            && output.by_ref().take(wanted).read_to_end(&mut frame).is_ok_and(|n| n == length);
        if !is_whole || frames.send(frame).is_err() {
            return;
        }
    }
}

fn keep_all(mut errors: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(n @ 1..) = errors.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&buffer[..n]);
        let surplus = kept.len().saturating_sub(MAX_COMPLAINT);
        kept.drain(..surplus);
    }
}
