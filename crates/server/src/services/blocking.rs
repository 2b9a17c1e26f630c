//! Services for tools that wait: `kukla p run` and `kukla p explain`.

use kukla_plang::Program;
use kukla_plang::recorded::Recorded;
use kukla_plang::services::{NewBody, ServiceAnswer, ServiceCall, Services};

use super::call::OwnedCall;
use super::directory::Directory;
use super::exchange::Exchange;
use super::perform::Caller;
use crate::body::{Held, Keep};

/// Services that are called while the caller waits.
#[derive(Debug)]
pub struct BlockingServices<'p> {
    program: &'p Program,
    directory: Directory,
    runtime: tokio::runtime::Runtime,
    keep: Keep,
    exchange: Exchange,
    body: Held<'static>,
    made: Vec<Held<'static>>,
}

impl<'p> BlockingServices<'p> {
    /// Creates a caller for one recorded message.
    pub fn new(
        program: &'p Program,
        directory: Directory,
        recorded: &Recorded,
    ) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let keep = Keep::default();
        let exchange = Exchange {
            method: recorded.method.clone(),
            target: recorded.target.clone(),
            version: "HTTP/1.1",
            scheme: "https",
            request: recorded.headers.clone(),
            response: recorded.response.clone(),
            client: recorded.metadata.client,
            ..Exchange::default()
        };
        let body = Held::from_bytes(recorded.body.clone().into(), &keep);
        Ok(Self { program, directory, runtime, keep, exchange, body, made: Vec::new() })
    }
}

impl Services for BlockingServices<'_> {
    fn call(&mut self, call: &ServiceCall<'_>) -> ServiceAnswer {
        let call = OwnedCall::new(call, self.program, self.exchange.response.is_some());
        let Self { directory, runtime, keep, exchange, body, made, .. } = self;
        let caller = Caller { directory, keep, plans: false, engine: None };
        let n_preview = usize::try_from(self.program.preview).unwrap_or(usize::MAX);
        runtime.block_on(async {
            let answer = caller.answer(exchange, &call, Some(body), made, &mut Vec::new()).await;
            let mut answer = answer.unwrap_or(ServiceAnswer::Failed);
            let new = match &mut answer {
                ServiceAnswer::Adapted { body: Some(new), .. } => Some(new),
                ServiceAnswer::Answered { body, .. } => Some(body),
                _ => None,
            };
            if let (Some(NewBody::Held { preview, .. }), Some(last)) = (new, made.last_mut()) {
                *preview = last.preview(n_preview).await.unwrap_or_default();
            }
            answer
        })
    }
}
