//! Answers a request from the store.

use super::compiled::Parameter;
use super::error::{Checked, QueryError};
use super::limits::Limits;
use super::request::Request;
use super::rows::Rows;
use crate::Store;
use crate::sql::{Cell, Sql, SqlError};

/// The answer to a request.
#[derive(Clone, Debug)]
pub struct Answer {
    /// JSON.
    pub body: String,
    /// The number of all rows, if it is wanted; PuppetDB sends it as `X-Records`.
    pub total: Option<i64>,
}

/// Takes an answer while its rows are read.
pub trait Receiver {
    /// Takes the number of all rows, if it is wanted; it comes before the first piece.
    fn total(&mut self, total: i64);
    /// Takes the next piece of the body. As long as it waits, the store keeps what is read from.
    fn piece(&mut self, piece: String) -> Result<(), Gone>;
}

/// An error of those who take an answer: they want no more of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rest of the answer is not wanted")]
pub struct Gone;

/// The reason why an answer has an end before its time, or does not begin.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// The query or the store.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The receiver wants no more.
    #[error(transparent)]
    Gone(#[from] Gone),
}

/// An answer that is kept whole.
#[derive(Default)]
struct Whole {
    body: String,
    total: Option<i64>,
}

impl Receiver for Whole {
    fn total(&mut self, total: i64) {
        self.total = Some(total);
    }

    fn piece(&mut self, piece: String) -> Result<(), Gone> {
        match self.body.is_empty() {
            true => self.body = piece,
            false => self.body.push_str(&piece),
        }
        Ok(())
    }
}

impl Store {
    /// Answers a request.
    pub fn answer(&self, request: &Request, limits: &Limits) -> Checked<Answer> {
        let mut whole = Whole::default();
        match self.stream(request, limits, &mut whole) {
            Ok(()) => Ok(Answer { body: whole.body, total: whole.total }),
            Err(Unanswered::Query(error)) => Err(error),
            Err(Unanswered::Gone(gone)) => Err(QueryError::TooLarge(gone.to_string())),
        }
    }

    /// Answers a request piece by piece. An error that comes after the first piece leaves a body that is no JSON.
    pub fn stream(
        &self,
        request: &Request,
        limits: &Limits,
        receiver: &mut dyn Receiver,
    ) -> Result<(), Unanswered> {
        let read =
            self.engine.read(Some(limits.time), |sql| Ok(answer(sql, request, limits, receiver)));
        match read {
            Ok(Ok(())) => Ok(()),
            Ok(Err(Problem::Query(error))) => Err(error.into()),
            Ok(Err(Problem::Sql(SqlError::Stopped))) => Err(Gone.into()),
            Ok(Err(Problem::Sql(error))) | Err(error) => Err(self.explained(error, limits).into()),
        }
    }

    fn explained(&self, error: SqlError, limits: &Limits) -> QueryError {
        let words = error.to_string();
        if let Some(at) = words.find("ERROR: invalid regular expression") {
            return QueryError::wrong(&words[at..]);
        }
        if error.is_late() {
            let seconds = limits.time.as_secs();
            return QueryError::TooLarge(format!("the query takes longer than {seconds} seconds"));
        }
        if error.is_too_large() {
            return QueryError::TooLarge(format!("the query is too large: {words}"));
        }
        if error.is_wrong_value() {
            return QueryError::wrong(words);
        }
        QueryError::Store(self.failed("read", error))
    }
}

/// An error of a query, or of the database.
pub(super) enum Problem {
    Query(QueryError),
    Sql(SqlError),
}

impl From<QueryError> for Problem {
    fn from(error: QueryError) -> Self {
        Self::Query(error)
    }
}

impl From<SqlError> for Problem {
    fn from(error: SqlError) -> Self {
        Self::Sql(error)
    }
}

fn answer(
    sql: &mut dyn Sql,
    request: &Request,
    limits: &Limits,
    receiver: &mut dyn Receiver,
) -> Result<(), Problem> {
    if let Some((parent, error)) = request.parent() {
        let mut is_known = false;
        each(sql, &parent.sql, &parent.parameters, &mut |_| {
            is_known = true;
            Ok(())
        })?;
        if !is_known {
            return Err(error.into());
        }
    }
    let compiled = request.compile(sql.dialect(), limits)?;
    if let Some(query) = request.only_parsed() {
        return receiver.piece(query.to_string()).map_err(|_| SqlError::Stopped.into());
    }
    if let Some(statement) = &compiled.total {
        each(sql, statement, &compiled.parameters, &mut |cells| {
            if let Some(total) = cells.first().and_then(|cell| cell.int()) {
                receiver.total(total);
            }
            Ok(())
        })?;
    }
    let mut rows = Rows::new(&compiled, limits, receiver);
    let read = each(sql, &compiled.sql, &compiled.parameters, &mut |cells| rows.push(cells));
    rows.finish(read)
}

fn each(
    sql: &mut dyn Sql,
    statement: &str,
    parameters: &[Parameter],
    row: &mut dyn FnMut(&[Cell<'_>]) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    let cells: Vec<Cell<'_>> = parameters
        .iter()
        .map(|parameter| match parameter {
            Parameter::Null => Cell::Null,
            Parameter::Bool(flag) => Cell::Bool(*flag),
            Parameter::Int(number) => Cell::Int(*number),
            Parameter::Real(number) => Cell::Real(*number),
            Parameter::Text(text) => Cell::Text(text),
        })
        .collect();
    sql.each(statement, &cells, row)
}
