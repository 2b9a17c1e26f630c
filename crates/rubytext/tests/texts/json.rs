//! JSON.

use super::case::{Answer, int, text};
use kukla_rubytext::Data;
use kukla_rubytext::json::{self, Style};

pub(crate) fn answer(operation: &str, args: &[Data]) -> Answer {
    Ok(match operation {
        "parse" => json::parse(text(args, 0))?,
        "generate" => Data::Str(json::generate(&args[0], &Style::compact())?),
        "deep" => {
            let depth = int(args, 0).expect("a depth");
            let data = (1..depth).fold(Data::Array(vec![]), |inner, _| Data::Array(vec![inner]));
            Data::Str(json::generate(&data, &Style::compact())?)
        }
        "pretty" => Data::Str(json::generate(&args[0], &style(args.get(1)))?),
        _ => panic!("unknown operation {operation}"),
    })
}

fn style(options: Option<&Data>) -> Style {
    let mut style = Style::pretty();
    let Some(Data::Hash(entries)) = options else { return style };
    for (key, value) in entries {
        let Data::Str(key) = key else { panic!("no name: {key:?}") };
        match (key.as_str(), value) {
            ("indent", Data::Str(text)) => style.indent = text.clone(),
            ("space", Data::Str(text)) => style.space = text.clone(),
            ("space_before", Data::Str(text)) => style.space_before = text.clone(),
            ("object_nl", Data::Str(text)) => style.object_nl = text.clone(),
            ("array_nl", Data::Str(text)) => style.array_nl = text.clone(),
            ("allow_nan", Data::Bool(value)) => style.allow_nan = *value,
            ("max_nesting", Data::Int(number)) => style.max_nesting = *number as usize,
            ("max_nesting", Data::Bool(false)) => style.max_nesting = 0,
            other => panic!("unknown option {other:?}"),
        }
    }
    style
}
