//! Goal 5: the SVG of a 60-node layered graph in at most 15 ms; 200 nodes faster than `dot -Tsvg` as a process, with at
//! most 1.2 times dot's crossings.
//!
//! Crossings are counted on the curves as drawn, in both pictures the same way: every curve becomes a polyline, and
//! pairs of edges without a common end are counted where they meet.
#![expect(clippy::print_stdout, reason = "a benchmark prints its measurements")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use greenloop::graph::draw::{Picture, PictureEdge, PictureNode, dot, svg};
use greenloop::model::NodeState;

/// Seeds of the measured graphs; medians over them are printed.
const SEEDS: [u64; 7] = [3, 5, 7, 11, 13, 17, 19];

/// Prints the measurements of goal 5.
pub(crate) fn run() {
    println!("draw: SVG of layered graphs");
    let times: Vec<f64> = SEEDS.iter().map(|&seed| milliseconds(best_of(9, || svg(&layered(60, 8, seed))))).collect();
    println!("  60 nodes   {:>8.2} ms   (goal: 15 ms)", median(times));

    let pictures: Vec<Picture> = SEEDS.iter().map(|&seed| layered(200, 12, seed)).collect();
    let ours = median(pictures.iter().map(|picture| milliseconds(best_of(5, || svg(picture)))).collect());
    println!("  200 nodes  {ours:>8.2} ms");
    if run_dot("-V", "").is_none() {
        println!("  200 nodes  dot is not installed: no comparison");
        return;
    }
    let sources: Vec<String> = pictures.iter().map(dot).collect();
    let theirs = median(sources.iter().map(|source| milliseconds(best_of(3, || run_dot("-Tsvg", source)))).collect());
    println!("  200 nodes  {theirs:>8.2} ms   dot -Tsvg, a process; ratio {:.2} (goal: below 1)", ours / theirs);

    let mut sums = (0, 0);
    for (seed, picture) in SEEDS.iter().zip(&pictures) {
        let drawn = our_edges(&svg(picture));
        let Some(plain) = run_dot("-Tplain", &source_of(&drawn)) else { continue };
        let (mine, dots) = (crossings(&drawn), crossings(&dot_edges(&plain)));
        println!(
            "  200 nodes  seed {seed:>2}: {} edges, {mine} crossings, dot {dots}, ratio {:.2}",
            drawn.len(),
            f64::from(mine) / f64::from(dots.max(1))
        );
        sums = (sums.0 + mine, sums.1 + dots);
    }
    let ratio = f64::from(sums.0) / f64::from(sums.1.max(1));
    println!("  200 nodes  all seeds: {} crossings, dot {}, ratio {ratio:.2} (goal: 1.2)", sums.0, sums.1);
}

/// Layers of equal size; most edges reach one layer back, one of six two layers.
pub(crate) fn layered(nodes: usize, layers: usize, seed: u64) -> Picture {
    let mut random = XorShift(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let per = nodes.div_ceil(layers);
    let mut picture = Picture { title: format!("{nodes} categories"), ..Picture::default() };
    for at in 0..nodes {
        picture.nodes.push(PictureNode {
            id: id(at),
            label: id(at),
            state: Some(NodeState::ALL[random.below(6)]),
            failing: Some(random.below(40)),
            new: Some(random.below(5)),
            ticket: Some(format!("#{}", 100 + at)),
            url: None,
            ghost: false,
            tooltip: String::new(),
        });
    }
    for at in per..nodes {
        let layer = at / per;
        for _ in 0..=random.below(2) {
            let back = if random.below(6) == 0 && layer > 1 { 2 } else { 1 };
            let to = (layer - back) * per + random.below(per);
            picture.edges.push(PictureEdge { from: id(at), to: id(to), rationale: String::new() });
        }
    }
    picture
}

fn id(at: usize) -> String {
    format!("category-{at:03}")
}

struct XorShift(u64);

impl XorShift {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap_or(0)
    }
}

/// An edge as it was drawn: its ends (upstream, downstream) and its polyline.
struct Drawn {
    ends: (String, String),
    line: Vec<(f64, f64)>,
}

/// The edges of our own SVG, whose form this repository fixes: a title, then the path of class `line`.
fn our_edges(svg: &str) -> Vec<Drawn> {
    svg.split("<g class=\"edge\">")
        .skip(1)
        .filter_map(|edge| {
            let title = between(edge, "<title>", "</title>")?;
            let (down, up) = title.lines().next()?.split_once(" depends on ")?;
            let path = between(edge.split_once("class=\"line\"")?.1, "d=\"", "\"")?;
            Some(Drawn { ends: (up.to_owned(), down.to_owned()), line: flatten(path) })
        })
        .collect()
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let rest = text.split_once(start)?.1;
    Some(rest.split_once(end)?.0)
}

/// Path data of `M`, `H` and `C` as a polyline.
fn flatten(path: &str) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = Vec::new();
    let mut rest = path;
    while let Some(name) = rest.chars().next() {
        let body = &rest[1..];
        let end = body.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(body.len());
        let numbers: Vec<f64> = body[..end].split(' ').filter_map(|number| number.parse().ok()).collect();
        rest = &body[end..];
        let last = line.last().copied().unwrap_or_default();
        match (name, numbers.as_slice()) {
            ('M', &[x, y]) => line.push((x, y)),
            ('H', &[x]) => line.push((x, last.1)),
            ('C', &[ax, ay, bx, by, x, y]) => bezier(&mut line, [last, (ax, ay), (bx, by), (x, y)]),
            _ => {}
        }
    }
    line
}

fn bezier(line: &mut Vec<(f64, f64)>, handles: [(f64, f64); 4]) {
    const PIECES: u32 = 16;
    for step in 1..=PIECES {
        let at = f64::from(step) / f64::from(PIECES);
        let rest = 1.0 - at;
        let weights = [rest.powi(3), 3.0 * rest * rest * at, 3.0 * rest * at * at, at.powi(3)];
        let point = handles
            .iter()
            .zip(weights)
            .fold((0.0, 0.0), |sum, (handle, weight)| (sum.0 + handle.0 * weight, sum.1 + handle.1 * weight));
        line.push(point);
    }
}

/// DOT with exactly the edges that were drawn, and boxes of our size.
fn source_of(edges: &[Drawn]) -> String {
    let mut source = String::from("digraph g { rankdir=LR; node [shape=box, width=2.2, height=0.8, fixedsize=true];\n");
    for Drawn { ends: (up, down), .. } in edges {
        let _ = writeln!(source, "\"{up}\" -> \"{down}\";");
    }
    source.push('}');
    source
}

/// The edges of `dot -Tplain`: `edge tail head n x1 y1 … xn yn …`, a start point and three points per curve.
fn dot_edges(plain: &str) -> Vec<Drawn> {
    plain
        .lines()
        .filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let ["edge", up, down, count, numbers @ ..] = words.as_slice() else { return None };
            let count: usize = count.parse().ok()?;
            let numbers: Vec<f64> = numbers.iter().take(count * 2).filter_map(|number| number.parse().ok()).collect();
            let points: Vec<(f64, f64)> =
                numbers.chunks_exact(2).map(|pair| (pair[0] * 72.0, pair[1] * 72.0)).collect();
            let mut polyline = vec![*points.first()?];
            for curve in points[1..].chunks_exact(3) {
                let last = *polyline.last()?;
                bezier(&mut polyline, [last, curve[0], curve[1], curve[2]]);
            }
            let name = |word: &str| word.trim_matches('"').to_owned();
            Some(Drawn { ends: (name(up), name(down)), line: polyline })
        })
        .collect()
}

fn crossings(edges: &[Drawn]) -> u32 {
    let mut found = 0;
    for (at, a) in edges.iter().enumerate() {
        for b in &edges[..at] {
            let common = a.ends.0 == b.ends.0 || a.ends.1 == b.ends.1 || a.ends.0 == b.ends.1 || a.ends.1 == b.ends.0;
            if !common {
                found += meetings(&a.line, &b.line);
            }
        }
    }
    found
}

fn meetings(a: &[(f64, f64)], b: &[(f64, f64)]) -> u32 {
    let mut found = 0;
    for p in a.windows(2) {
        for q in b.windows(2) {
            let apart = p[0].0.max(p[1].0) < q[0].0.min(q[1].0) || q[0].0.max(q[1].0) < p[0].0.min(p[1].0);
            if !apart && side(p, q[0]) * side(p, q[1]) < 0.0 && side(q, p[0]) * side(q, p[1]) < 0.0 {
                found += 1;
            }
        }
    }
    found
}

fn side(line: &[(f64, f64)], point: (f64, f64)) -> f64 {
    let ((ax, ay), (bx, by)) = (line[0], line[1]);
    ((bx - ax) * (point.1 - ay) - (by - ay) * (point.0 - ax)).signum()
}

/// Standard output of dot; `None` when it cannot be run.
fn run_dot(argument: &str, source: &str) -> Option<String> {
    let mut child = Command::new("dot")
        .arg(argument)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // dot -V exits without reading: a broken pipe is no failure.
    let _ = child.stdin.take()?.write_all(source.as_bytes());
    let output = child.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn best_of<T>(times: u32, mut work: impl FnMut() -> T) -> Duration {
    (0..times)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(work());
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
