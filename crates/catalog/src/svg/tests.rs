use super::*;
use crate::samples::{catalog, resource};

/// Returns left, top, right and bottom of all boxes.
fn boxes(shape: &BoxShape, left: usize, top: usize) -> Vec<[usize; 4]> {
    let mut all = vec![[left, top, left + shape.width, top + shape.height]];
    for (x, y, content) in &shape.contents {
        all.extend(boxes(content, left + x, top + y));
    }
    all
}

fn line(n: usize) -> BoxShape {
    let title = format!("File[/{n}]");
    BoxShape { hint: title.clone(), title, width: 80, height: LINE, contents: Vec::new() }
}

#[test]
fn titles_are_escaped_and_cut() {
    let long = "é".repeat(100);
    let resources =
        vec![resource("Exec", "a < b && \"c\"\u{1}\n", &[]), resource("Exec", &long, &[])];
    let picture = write(&catalog(resources, &[]));
    assert!(
        picture.contains(">Exec[a &lt; b &amp;&amp; &quot;c&quot;\u{fffd} ]</text>"),
        "{picture}"
    );
    assert!(picture.contains(&format!("<title>Exec[{long}]</title>")), "the hint is whole");
    assert!(picture.contains(&format!(">Exec[{}…</text>", "é".repeat(MAX_LENGTH - 5))));
}

#[test]
fn each_resource_is_drawn_where_it_is_contained() {
    let resources = vec![
        resource("Stage", "main", &[]),
        resource("Class", "A", &[]),
        resource("Class", "B", &[]),
        resource("File", "/a", &[]),
    ];
    // The file lies in both classes.
    let picture = write(&catalog(resources, &[(0, 1), (0, 2), (1, 3), (2, 3)]));
    assert_eq!(picture.matches("<title>File[/a]</title>").count(), 2);
    assert_eq!(picture.matches("<title>Class[A]</title>").count(), 1);
    assert_eq!(picture.matches("<g>").count(), picture.matches("</g>").count());
}

#[test]
fn what_contains_itself_ends() {
    let resources = vec![
        resource("Stage", "main", &[]),
        resource("Class", "A", &[]),
        resource("Class", "B", &[]),
    ];
    let picture = write(&catalog(resources, &[(0, 1), (1, 2), (2, 1)]));
    assert!(picture.ends_with("</svg>\n"));
}

#[test]
fn nothing_lies_over_another_thing() {
    let inner = |n: usize| {
        let contents = columns((0..n).map(line).collect());
        let (width, height) = extent(&contents);
        BoxShape { width: width + GAP, height: height + GAP, contents, ..line(n) }
    };
    let placed = shelves((1..60).map(inner).collect(), 0);
    let tops: Vec<[usize; 4]> =
        placed.iter().map(|(x, y, shape)| [*x, *y, x + shape.width, y + shape.height]).collect();
    for (n, a) in tops.iter().enumerate() {
        for b in &tops[n + 1..] {
            let is_apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
            assert!(is_apart, "{a:?} {b:?}");
        }
    }
    for (_, _, shape) in &placed {
        let all = boxes(shape, 0, 0);
        assert!(all.iter().all(|b| b[2] <= shape.width && b[3] <= shape.height), "{all:?}");
    }
}
