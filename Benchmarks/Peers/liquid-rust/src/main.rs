// SPDX-License-Identifier: MIT

//! Times the workloads of a file in liquid-rust, and prints what `liquid-server bench` prints.

use liquid::{Object, Parser, ParserBuilder, Template};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

#[derive(Deserialize)]
struct Workload {
    id: String,
    templates: Vec<String>,
    data: Vec<Object>,
    #[serde(default)]
    parse: bool,
}

/// Nanoseconds an operation takes: the median of five samples of at least a quarter of a second.
fn median(operations: usize, mut run: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    let mut samples = Vec::new();
    for _ in 0..5 {
        let (start, mut passes) = (Instant::now(), 0);
        while start.elapsed() < Duration::from_millis(250) {
            run()?;
            passes += 1;
        }
        samples.push(start.elapsed().as_nanos() as f64 / (passes * operations) as f64);
    }
    samples.sort_by(f64::total_cmp);
    Ok(samples[2])
}

fn parse(parser: &Parser, sources: &[String]) -> Result<Vec<Template>, Failure> {
    sources.iter().map(|source| Ok(parser.parse(source)?)).collect()
}

fn render(templates: &[Template], data: &[Object], mut each: impl FnMut(&[u8])) -> Result<(), Failure> {
    for object in data {
        for template in templates {
            each(template.render(object)?.as_bytes());
        }
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let path = std::env::args().nth(1).ok_or("usage: liquid-rust FILE")?;
    let workloads: Vec<Workload> = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    for work in workloads {
        let parser = ParserBuilder::with_stdlib().build()?;
        let (phase, ns, sha);
        if work.parse {
            phase = "parse";
            sha = String::new();
            ns = median(work.templates.len(), || parse(&parser, &work.templates).map(std::hint::black_box).map(drop))?;
        } else {
            let templates = parse(&parser, &work.templates)?;
            let mut hash = Sha256::new();
            render(&templates, &work.data, |text| hash.update(text))?;
            phase = "render";
            sha = format!("{:x}", hash.finalize())[..12].to_string();
            ns = median(templates.len() * work.data.len(), || {
                render(&templates, &work.data, |text| {
                    std::hint::black_box(text);
                })
            })?;
        }
        println!("{}", serde_json::json!({"case": work.id, "phase": phase, "ns": ns, "sha": sha}));
    }
    Ok(())
}
