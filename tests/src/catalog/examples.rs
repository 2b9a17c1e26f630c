//! Example code of modules: the manifests of `examples/` and the fenced blocks of their pages.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use walkdir::WalkDir;

/// Returns all examples of the modules on a module path, by names such as `nginx/README.md #3`.
pub(super) fn code(module_path: &str) -> Result<BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    for directory in module_path.split(':') {
        for module in std::fs::read_dir(directory)? {
            of_module(&module?.path(), &mut all);
        }
    }
    Ok(all)
}

fn of_module(module: &Path, all: &mut BTreeMap<String, String>) {
    let name = module.file_name().unwrap_or_default().to_string_lossy();
    for entry in WalkDir::new(module).follow_links(true).sort_by_file_name().into_iter().flatten() {
        let Ok(path) = entry.path().strip_prefix(module) else { continue };
        let extension = path.extension().and_then(|extension| extension.to_str());
        // A file that can't be read, or is not text, has no examples.
        let text = || std::fs::read_to_string(entry.path()).unwrap_or_default();
        match extension {
            Some("pp") if path.starts_with("examples") || path.starts_with("tests") => {
                all.insert(format!("{name}/{}", path.display()), text());
            }
            Some("md") if !path.starts_with("spec") => {
                for (number, block) in blocks(&text()).into_iter().enumerate() {
                    all.insert(format!("{name}/{} #{}", path.display(), number + 1), block);
                }
            }
            _ => {}
        }
    }
}

/// Returns the fenced blocks that are marked as Puppet code.
fn blocks(page: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for line in page.lines() {
        let fence = line.trim().strip_prefix("```");
        block = match (block, fence) {
            (None, Some(language)) if matches!(language.trim(), "puppet" | "pp") => {
                Some(String::new())
            }
            (None, _) => None,
            (Some(text), None) => Some(text + line + "\n"),
            (Some(text), Some(_)) => {
                blocks.push(text);
                None
            }
        };
    }
    blocks
}
