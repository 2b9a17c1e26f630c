//! Catalogs that can be given again: a compilation by the same snapshot would ask the same questions and get the same answers.
//!
//! A snapshot never changes what it has said, so only questions about the request are kept: facts, trusted data,
//! classification, settings, exports of other nodes. They are few, and most of them take a look into a hash.

use std::sync::{Arc, Weak};

use kukla_base::Digest;
use kukla_compiler::Strictness;
use kukla_compiler::compile::Request;
use kukla_world::{Answer, Atom, Kind, Recorded};

use super::Snapshot;

/// The questions of a compilation about its request, and the digest of all answers.
#[derive(Debug)]
pub struct Repeat {
    snapshot: Weak<Snapshot>,
    /// Names and parts of all questions, one behind the other.
    texts: Box<str>,
    questions: Box<[RequestQuestion]>,
    answers: Digest,
}

/// A question, whose name and part end at these places of the text.
#[derive(Clone, Copy, Debug)]
struct RequestQuestion {
    kind: Kind,
    name_end: u32,
    part_end: Option<u32>,
}

impl Repeat {
    /// Returns when a compilation by a snapshot would have the same result; nothing if that is not known, because it has
    /// read something that may be different each time, such as the clock or the output of a program.
    pub fn of(snapshot: &Arc<Snapshot>, inputs: &Recorded) -> Option<Self> {
        let atoms = inputs.of_request();
        let mut texts = String::new();
        let mut questions = Vec::with_capacity(atoms.len());
        let mut end = |text: &str| {
            texts.push_str(text);
            u32::try_from(texts.len()).ok()
        };
        for atom in &atoms {
            let name_end = end(&atom.name)?;
            let part_end = match &atom.part {
                Some(part) => Some(end(part)?),
                None => None,
            };
            questions.push(RequestQuestion { kind: atom.kind, name_end, part_end });
        }
        let answers = digest(atoms.iter().map(|atom| atom.answer))?;
        // Each record says of which compiler and which node it is.
        let has = |kind: Kind| atoms.iter().any(|atom| atom.kind == kind);
        let is_complete = has(Kind::Compiler) && has(Kind::Node) && has(Kind::Classification);
        let (texts, questions) = (texts.into_boxed_str(), questions.into_boxed_slice());
        let snapshot = Arc::downgrade(snapshot);
        is_complete.then_some(Self { snapshot, texts, questions, answers })
    }

    /// Returns whether a compilation of a request by a snapshot would have the same result.
    pub fn holds(
        &self,
        snapshot: &Arc<Snapshot>,
        strictness: Strictness,
        request: &Request,
    ) -> bool {
        let mut start = 0;
        let mut text = |end: u32| {
            let text = self.texts.get(start..end as usize).unwrap_or_default();
            start = end as usize;
            text
        };
        let answers = self.questions.iter().map(|question| {
            let name = text(question.name_end);
            let atom = match question.part_end {
                Some(end) => Atom::of_part(question.kind, name, text(end), Answer::Absent),
                None => Atom::new(question.kind, name, Answer::Absent),
            };
            request.answer(strictness, &atom).unwrap_or(Answer::Volatile)
        });
        self.is_of(snapshot) && digest(answers) == Some(self.answers)
    }

    /// Returns whether it is about compilations by a snapshot.
    pub fn is_of(&self, snapshot: &Arc<Snapshot>) -> bool {
        std::ptr::eq(self.snapshot.as_ptr(), Arc::as_ptr(snapshot))
    }

    /// Returns whether its snapshot is gone.
    pub fn is_outdated(&self) -> bool {
        self.snapshot.strong_count() == 0
    }

    /// Returns the number of bytes that it takes.
    pub fn n_bytes(&self) -> usize {
        self.texts.len() + size_of_val(&*self.questions) + size_of::<Self>()
    }
}

/// Returns the digest of answers, unless one may be different the next time.
fn digest(answers: impl Iterator<Item = Answer>) -> Option<Digest> {
    let mut hasher = kukla_base::DigestHasher::new();
    for answer in answers {
        match answer {
            Answer::Absent => hasher.update(&[0]),
            Answer::Digest(digest) => {
                hasher.update(&[1]);
                hasher.update(digest.as_bytes());
            }
            Answer::Volatile => return None,
        }
    }
    Some(hasher.finish())
}
