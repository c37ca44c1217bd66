// SPDX-License-Identifier: MIT
// Times the workloads of a file in liquidjs, and prints what `liquid-server bench` prints.

const { createHash } = require("node:crypto");
const { readFileSync } = require("node:fs");
const { Liquid } = require("liquidjs");

/** Nanoseconds an operation takes: the median of five samples of at least a quarter of a second. */
function median(operations, run) {
  const samples = [];
  for (let sample = 0; sample < 5; sample += 1) {
    const start = process.hrtime.bigint();
    let passes = 0;
    let elapsed = 0;
    do {
      run();
      passes += 1;
      elapsed = Number(process.hrtime.bigint() - start);
    } while (elapsed < 250e6);
    samples.push(elapsed / passes / operations);
  }
  return samples.sort((one, other) => one - other)[2];
}

for (const { id, templates: sources, data, parse } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const engine = new Liquid({ timezoneOffset: 0 });
  let result;
  if (parse) {
    result = { phase: "parse", sha: "", ns: median(sources.length, () => sources.forEach((text) => engine.parse(text))) };
  } else {
    const templates = sources.map((text) => engine.parse(text));
    const run = (use) => data.forEach((profile) => templates.forEach((one) => use(engine.renderSync(one, profile))));
    const hash = createHash("sha256");
    run((text) => hash.update(text));
    result = { phase: "render", sha: hash.digest("hex").slice(0, 12) };
    result.ns = median(data.length * templates.length, () => run(() => {}));
  }
  console.log(JSON.stringify({ case: id, ...result }));
}
