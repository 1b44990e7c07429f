/*
 * test_page.mjs PAGE: in a folder that has results/ and REPORT.md. Ends with `N passed, M failed`.
 *
 * The page's figures are compared with those of REPORT.md, of the CSV, and with medians computed here from the
 * repetitions in the runs; then its controls are used as a person would, by mouse and by keyboard.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const { chromium } = createRequire(path.resolve("build/page/test"))("playwright-core");
const url = `file://${path.resolve(process.argv[2])}`;

/* ---- checking --------------------------------------------------------------------------------- */

let passed = 0;
const failures = [];
const check = (name, condition, detail = "") => {
  if (condition) passed++;
  else if (failures.push(name) <= 20) console.log(`FAILED: ${name}${detail === "" ? "" : `: ${detail}`}`);
};
const same = (name, got, wanted) =>
  check(name, JSON.stringify(got) === JSON.stringify(wanted), `${JSON.stringify(got)} is not ${JSON.stringify(wanted)}`);

/* So many figures were compared, at least; else a comparison has lost its object. */
const many = (name, n, least) => check(`${name}: ${n} figures compared`, n >= least, `fewer than ${least}`);

/* ---- what the page must agree with ------------------------------------------------------------ */

const median = (values) => {
  const sorted = values.toSorted ? values.toSorted((a, b) => a - b) : [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) / 2;
  return (sorted[Math.floor(at)] + sorted[Math.ceil(at)]) / 2;
};

/* The newest run of each format, and medians of its rows by name. */
const readRuns = () => {
  const files = readdirSync("results").flatMap((machine) =>
    existsSync(`results/${machine}`) && !machine.includes(".")
      ? readdirSync(`results/${machine}`).filter((f) => /\.json(\.xz)?$/.test(f)).map((f) => `results/${machine}/${f}`)
      : []);
  const runs = new Map();
  files.sort((a, b) => path.basename(b).localeCompare(path.basename(a)));
  for (const file of files) {
    const text = file.endsWith(".xz") ? execFileSync("xz", ["-dc", file], { maxBuffer: 1 << 30 }) : readFileSync(file);
    const { context, benchmarks } = JSON.parse(text);
    const documents = context.bakeoff.documents.filter((d) => !d.scale);
    const added = [...new Set(documents.map((d) => d.format))].filter((format) => !runs.has(format));
    if (!added.length) continue;
    const times = new Map(), failed = new Set();
    for (const b of benchmarks) {
      if (b.run_type !== "iteration") continue;
      if (b.error_occurred && b.error_message.startsWith("unsupported: ")) continue; // shown as a dash
      if (b.error_occurred) failed.add(b.run_name);
      else (times.get(b.run_name) ?? times.set(b.run_name, []).get(b.run_name)).push(b.real_time);
    }
    for (const format of added) runs.set(format, { context, documents, times, failed });
  }
  return runs;
};

/* Rows of CSV as objects by heading. */
const readCsv = (file) => {
  const rows = [[]];
  let cell = "", quoted = false;
  for (const c of readFileSync(file, "utf8")) {
    if (c === '"') quoted = !quoted;
    else if (!quoted && (c === "," || c === "\n")) {
      rows.at(-1).push(cell);
      cell = "";
      if (c === "\n") rows.push([]);
    } else cell += c;
  }
  const [heading, ...lines] = rows.filter((r) => r.length > 1);
  return lines.map((line) => Object.fromEntries(line.map((v, i) => [heading[i], v])));
};

/* A cell of Markdown as it is read. */
const plain = (cell) =>
  cell.trim().replaceAll("\\|", "|").replace(/^\[(.*)\]\(.*\)$/, "$1").replace(/^\*(.+)\*$/, "$1");

/* The tables of a page of Markdown: under which heading of the second rank, and rows of texts. */
const readMarkdown = (file) => {
  const tables = [];
  let heading = null, table = null;
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line.startsWith("## ")) heading = line.slice(3);
    if (!line.startsWith("|")) table = null;
    else if (!/^\|[-:|]+$/.test(line)) {
      if (!table) tables.push((table = { heading, rows: [] }));
      table.rows.push(line.split(/(?<!\\)\|/).slice(1, -1).map(plain));
    }
  }
  return tables;
};

/* All tables of REPORT.md and results/environments.md by chapter, and of results/FORMAT.md by document. */
const readReport = (formats) => [
  ...["REPORT.md", "results/environments.md"].flatMap((file) =>
    readMarkdown(file).map(({ heading, rows }) => ({ chapter: heading, document: null, rows }))),
  ...formats.flatMap((format) =>
    readMarkdown(`results/${format}.md`).map(({ heading, rows }) =>
      ({ chapter: format, document: heading === "All documents" ? null : heading, rows }))),
];

/* ---- reading the page ------------------------------------------------------------------------- */

/* In the browser: every table with its place, the texts of its cells, and their values. */
const readTables = () =>
  [...document.querySelectorAll("table")].map((table) => ({
    chapter: table.closest("section.format")?.id ?? null,
    document: table.closest(".document")?.dataset.document ?? null,
    rows: [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim())),
    values: [...table.rows].map((row) => [...row.cells].map((cell) => cell.dataset.v ?? null)),
    seen: table.getClientRects().length > 0,
  }));

const comparisons = (tables) => tables.filter((t) => t.document !== null && t.rows[0][2] === "access");
const bare = (name) => name.replace(/( \([~<]\))+$/, "");
const column = (table, label) => table.rows[0].findIndex((h) => h === label || h.startsWith(`${label}, `));

/* ---- the figures ------------------------------------------------------------------------------ */

const compareWithReport = (tables, report) => {
  let whole = 0, cells = 0;
  const formats = new Set(tables.map((t) => t.chapter));
  const keyOf = (t) => JSON.stringify([t.chapter, t.rows]);
  const keys = new Set(tables.map(keyOf));
  /* the table of code describes the current tree, and changes with any line of it */
  for (const table of report.filter((t) => formats.has(t.chapter) && t.document === null && t.rows[0][3] !== "what it is")) {
    check(`REPORT.md's table of ${table.chapter} that begins with ${table.rows[0].slice(0, 3)}`, keys.has(keyOf(table)));
    whole += table.rows.length * table.rows[0].length;
  }
  for (const table of report.filter((t) => t.chapter.startsWith("The environment of ")))
    check(`the facts of ${table.chapter}`, tables.some((t) => JSON.stringify(t.rows) === JSON.stringify(table.rows)));
  for (const table of report.filter((t) => formats.has(t.chapter) && t.document !== null)) {
    const here = tables.filter((t) => t.chapter === table.chapter && t.document === table.document);
    const [comparison] = comparisons(here);
    check(`${table.chapter} has ${table.document}`, comparison);
    if (!comparison) continue;
    if (table.rows[0][2] === "sections")
      check(`sizes of ${table.chapter} ${table.document}`, here.some((t) => keyOf(t) === keyOf(table)));
    for (const row of table.rows[0][0] === "codec" && table.rows[0][2] !== "sections" ? table.rows.slice(1) : []) {
      const other = comparison.rows.find((r) => r[0] === row[0]);
      table.rows[0].forEach((heading, i) => {
        const at = comparison.rows[0].indexOf(heading);
        if (at < 1 || !other) return;
        const wanted = row[i].replace(/ \([^()]*\)$/, ""); /* without p10 and p90 */
        check(`${table.chapter} ${table.document} ${row[0]} ${heading}`, other[at] === wanted || other[at].startsWith(`${wanted} [`), `${other[at]} is not ${wanted}`);
        cells++;
      });
    }
  }
  many("REPORT.md, whole tables", whole, 2000);
  many("REPORT.md, documents", cells, 3500);
};

const compareWithRuns = (tables, runs) => {
  let times = 0, sizes = 0;
  const close = (a, b) => Math.abs(a - b) <= 1e-6 * Math.abs(b);
  for (const table of comparisons(tables)) {
    const run = runs.get(table.chapter);
    const document = run.documents.find((d) => d.format === table.chapter && d.name === table.document);
    table.rows.slice(1).forEach((row, r) => {
      const codec = bare(row[0]);
      const size = document.codecs.find((c) => c.name === codec);
      if (size?.bytes !== undefined) {
        same(`bytes of ${table.chapter}/${codec}/${table.document}`, row[column(table, "bytes")], String(size.bytes));
        sizes++;
      }
      table.rows[0].forEach((heading, i) => {
        const [label, unit] = heading.split(", "), name = `${table.chapter}/${codec}/${table.document}/${label}`;
        const factor = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[unit];
        if (!factor || heading.startsWith("pages")) return;
        const value = table.values[r + 1][i], wanted = run.times.get(name);
        if (run.failed.has(name)) return same(name, row[i], "failed");
        if (!wanted) return same(name, [row[i], value], ["-", null]);
        times++;
        check(name, close(Number(value), median(wanted)), `${value} is not ${median(wanted)}`);
        check(`${name}, as it is read`, Math.abs(parseFloat(row[i]) * factor - median(wanted)) <= 0.0051 * median(wanted), row[i]);
      });
    });
  }
  many("times of runs", times, 2500);
  many("sizes of runs", sizes, 130);
};

const compareWithCsv = (tables, runs) => {
  let n = 0;
  for (const [format, run] of runs) {
    const csv = new Map(readCsv(`results/${run.context.bakeoff.machine}/${format}.csv`).map((r) => [`${r.document}/${r.codec}`, r]));
    for (const table of comparisons(tables).filter((t) => t.chapter === format))
      table.rows.slice(1).forEach((row, r) => {
        const line = csv.get(`${table.document}/${bare(row[0])}`);
        check(`${format}.csv has ${table.document}/${bare(row[0])}`, line);
        table.rows[0].forEach((heading, i) => {
          const wanted = line?.[`${heading.split(", ")[0]} median_ns`];
          if (wanted === undefined) return;
          n++;
          check(`${format}.csv, ${table.document}, ${row[0]}, ${heading}`, Number(table.values[r + 1][i] ?? 0) === Number(wanted), `${table.values[r + 1][i]} is not ${wanted}`);
        });
      });
  }
  many("CSV", n, 2500);
};

/* The figures that charts are drawn from are those of the tables. */
const compareWithData = (tables, data) => {
  let n = 0;
  for (const table of comparisons(tables)) {
    const codecs = new Map(data.find((d) => d.format === table.chapter && d.name === table.document).codecs.map((c) => [c.name, c]));
    table.rows.slice(1).forEach((row, r) =>
      table.rows[0].forEach((heading, i) => {
        const figures = codecs.get(bare(row[0])).rows[heading.split(", ")[0]];
        if (!figures || heading.startsWith("pages")) return;
        n++;
        check(`data of ${table.chapter} ${table.document} ${row[0]} ${heading}`, Number(table.values[r + 1][i] ?? NaN) === (figures.median_ns ?? NaN) || (figures.median_ns === null && table.values[r + 1][i] === null));
      }));
  }
  many("data of charts", n, 2500);
};

/* The picks at a glance are what `bakeoff pick` says. */
const compareWithPick = (tables, formats) => {
  const glance = tables.find((t) => t.rows[0].join().startsWith("format,documents,query,pick"));
  same("formats at a glance", glance.rows.slice(1).map((r) => r[0]).sort(), [...formats].sort());
  for (const [format, , , pick, runnerUp, clear] of glance.rows.slice(1)) {
    let said;
    try {
      said = JSON.parse(execFileSync("build/bakeoff", ["pick", format, "--json"]));
    } catch (error) {
      said = JSON.parse(error.stdout); /* no codec is fit */
    }
    same(`the pick of ${format}`, [pick.split(" ")[0], runnerUp.split(" ")[0], clear], [said.pick ?? "-", said.runner_up ?? "-", said.clear]);
  }
};

/* Curves end where the report's table says. */
const compareWithCurves = (curves, report) => {
  let n = 0;
  for (const { chapter, data } of curves) {
    const table = report.find((t) => t.chapter === chapter && t.rows[0].includes("ratio") && t.rows[0][2]?.startsWith(data.costs[0].title));
    check(`REPORT.md has the curves of ${chapter}`, table);
    for (const cost of data.costs)
      for (const row of table?.rows.slice(1) ?? []) {
        const wanted = row[table.rows[0].findIndex((h) => h.startsWith(`${cost.title}, `))], got = cost.codecs[bare(row[0])].at(-1);
        n++;
        check(`${cost.title} of ${chapter}/${row[0]}`, wanted === "-" ? got === null : Math.abs(got - wanted) <= 0.0051 * got, `${got} is not ${wanted}`);
      }
  }
  if (curves.length) many("curves", n, 20);
};

/* ---- the controls ----------------------------------------------------------------------------- */

const FRONT = "figure[data-chart=front]";
const dots = (chapter) => chapter.locator(`${FRONT} g[aria-label=dot] > *`);

/* The names in a table's first column, hidden lines left out. */
const shownRows = (table) =>
  table.evaluate((t) => [...t.tBodies[0].rows].filter((r) => !r.hidden).map((r) => r.cells[0].textContent));

const ticks = async (page) => {
  const chapter = page.locator("#pcdata"), table = chapter.locator(".document:not([hidden]) table").first();
  await chapter.locator(FRONT).scrollIntoViewIfNeeded();
  await dots(chapter).first().waitFor();
  const rows = await shownRows(table), points = await dots(chapter).count();
  const bars = () => chapter.locator("figure[data-chart=bytes] g[aria-label=rect] > *").count();
  const allBars = await bars();
  await chapter.getByRole("checkbox", { name: "run-array" }).uncheck();
  same("a codec without a tick has no line", await shownRows(table), rows.filter((r) => r !== "run-array"));
  same("nor a point", await dots(chapter).count(), points - 1);
  check("nor a bar", (await bars()) < allBars);
  check("and no other table has its line", await chapter.evaluate((c) =>
    [...c.querySelectorAll("table[data-left] tbody tr")].filter((r) => r.cells[0].textContent === "run-array").every((r) => r.hidden)));
  await chapter.getByRole("button", { name: "new", exact: true }).click();
  same("a role alone", (await shownRows(table)).every((name) => name.startsWith("shape-code")), true);
  await chapter.getByRole("button", { name: "all", exact: true }).click();
  same("all again", [await shownRows(table), await dots(chapter).count()], [rows, points]);
};

const sorting = async (page) => {
  const table = page.locator("#pcdata .document:not([hidden]) table").first();
  const valuesOf = (heading) => table.evaluate((t, h) => {
    const i = [...t.tHead.rows[0].cells].findIndex((c) => c.textContent === h);
    return [...t.tBodies[0].rows].map((r) => r.cells[i].dataset.v ?? r.cells[i].textContent);
  }, heading);
  const before = await shownRows(table);
  for (const heading of ["bytes", "point/uniform, ns", "encode peak"]) {
    const button = table.getByRole("button", { name: heading, exact: true });
    for (const [direction, sign] of [["ascending", 1], ["descending", -1]]) {
      await button.click();
      const values = await valuesOf(heading), numbers = values.map(Number).filter((v) => !Number.isNaN(v));
      check(`${heading} ${direction}`, numbers.length > 4 && numbers.every((v, i) => i === 0 || sign * (v - numbers[i - 1]) >= 0), values);
      check(`${heading} ${direction}: what has no number is last`, values.slice(numbers.length).every((v) => Number.isNaN(Number(v))), values);
      same(`${heading} says so`, await table.locator("th[aria-sort]").evaluateAll((all) => all.map((h) => [h.textContent, h.getAttribute("aria-sort")])), [[heading, direction]]);
    }
    await button.click();
    same(`${heading}, a third time: as before`, await shownRows(table), before);
  }
  await table.getByRole("button", { name: "bytes", exact: true }).focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  same("by keyboard", await table.locator("th[aria-sort]").allTextContents(), ["ratio"]);
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Space");
  same("and back", await table.locator("th[aria-sort]").allTextContents(), ["bytes"]);
};

const documents = async (page) => {
  const chapter = page.locator("#pcdata"), choose = chapter.getByLabel("Document");
  const names = await choose.locator("option").allTextContents();
  for (const name of [...names].reverse()) {
    await choose.selectOption(name);
    same(`only ${name} is seen`, await chapter.locator(".document:not([hidden]) h4").allTextContents(), [name]);
    const wanted = await chapter.evaluate((c, n) =>
      JSON.parse(c.querySelector(`.document[data-document="${n}"] .figures`).textContent).codecs.filter((k) => k.bytes && k.rows["point/uniform"]).length, name);
    same(`points of ${name}`, await dots(chapter).count(), wanted);
  }
};

const hovering = async (page) => {
  const chapter = page.locator("#pcdata");
  await chapter.locator(`${FRONT} svg`).scrollIntoViewIfNeeded();
  await chapter.locator(`${FRONT} [aria-label="shape-code"]`).hover({ force: true });
  const tip = (await chapter.locator(`${FRONT} g[aria-label=tip]`).textContent()).replaceAll(",", "");
  const row = await chapter.locator(".document:not([hidden]) table").first().evaluate((t) =>
    Object.fromEntries([...[...t.tBodies[0].rows].find((r) => r.cells[0].textContent === "shape-code").cells].map((c, i) => [t.tHead.rows[0].cells[i].textContent, c.textContent])));
  check("the tip has the bytes", tip.includes(`${row.bytes} B`), tip);
  check("and the time", tip.includes(`${row["point/uniform, ns"].split(" ")[0]} ns`), `${tip}; ${row["point/uniform, ns"]}`);
};

/* A codec's code paths are chosen together: what ran, or portable C. */
const paths = async (page) => {
  const chapter = page.locator("#pcdata"), table = chapter.locator(".document:not([hidden]) table").first();
  const click = (name) => chapter.getByRole("button", { name, exact: true }).evaluate((b) => b.click());
  await click("the paths that ran");
  let shown = await shownRows(table);
  check("what ran is shown", shown.includes("shape-code") && !shown.some((name) => /-(portable|bmi2)$/.test(name)), shown);
  await click("portable C");
  shown = await shownRows(table);
  check("portable C is shown", shown.includes("shape-code-portable") && shown.includes("varint-delta") && !shown.includes("shape-code"), shown);
  await click("all");
  check("formats without paths have no such button",
    (await page.locator("#templight").getByRole("button", { name: "portable C" }).count()) === 0);
};

/* The charts' front is the report's. */
const fronts = async (page, report) => {
  for (const format of await page.locator("section.format").evaluateAll((all) => all.map((s) => s.id))) {
    const chapter = page.locator(`#${format}`), name = await chapter.getByLabel("Document").inputValue();
    await chapter.getByRole("button", { name: "the front" }).evaluate((b) => b.click());
    const shown = (await shownRows(chapter.locator(".document:not([hidden]) table").first())).sort();
    const picks = report.find((t) => t.chapter === format && t.rows[0][1] === "smallest").rows;
    const wanted = picks.filter((r) => [name, `${name}, unpacked`, `${name}, of the (~)`, `${name}, of the (<)`].includes(r[0])).flatMap((r) => [...r[3].matchAll(/([^ ,]+(?: \([~<]\))*) \([^;()]*;/g)].map((m) => m[1]));
    same(`the front of ${format}`, shown, wanted.sort());
    await chapter.getByRole("button", { name: "all", exact: true }).evaluate((b) => b.click());
  }
};

const everyChart = async (page) => {
  for (const figure of await page.locator("figure[data-chart]").all()) {
    await figure.scrollIntoViewIfNeeded();
    await figure.locator("svg").first().waitFor();
  }
  const curves = page.locator("#lprf figure[data-chart=curves]");
  for (const cost of await curves.locator("option").all()) {
    await curves.locator("select").selectOption(await cost.getAttribute("value"));
    check(`curves of ${await cost.textContent()}`, (await curves.locator("g[aria-label=line] > path").count()) >= 8);
  }
};

/* ---- looks ------------------------------------------------------------------------------------ */

/* In the browser: the least contrast of texts, and of the marks of roles, with what they stand on. */
const readContrast = () => {
  const pencil = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => {
    pencil.clearRect(0, 0, 1, 1);
    pencil.fillStyle = colour;
    pencil.fillRect(0, 0, 1, 1);
    return [...pencil.getImageData(0, 0, 1, 1).data];
  };
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const colour = rgb(getComputedStyle(e).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const of = (selector) => Math.min(...[...document.querySelectorAll(selector)].slice(0, 40).map((e) => contrast(rgb(getComputedStyle(e).color), ground(e))));
  const marks = [...document.querySelectorAll("#pcdata .dot")].map((e) => contrast(rgb(getComputedStyle(e).backgroundColor), ground(e.parentElement)));
  return { texts: Math.min(...["p", "h2", "th", "td", "td small", "a", "summary", "legend", "select", "nav a", ".codecs label"].map(of)), marks: Math.min(...marks) };
};

const overflow = (page) => page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);

/* ---- all of it -------------------------------------------------------------------------------- */

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: process.getuid() === 0 ? ["--no-sandbox"] : [] });

/* A page that is listened to: nothing may be fetched, nothing may go wrong. */
const open = async (options) => {
  const page = await (await browser.newContext(options)).newPage();
  page.on("request", (r) => check("only the page itself is read", r.url() === url || r.url().startsWith("data:"), r.url()));
  page.on("console", (m) => check("nothing is wrong", m.type() !== "error", m.text()));
  page.on("pageerror", (e) => check("no script fails", false, e.stack));
  page.setDefaultTimeout(15000);
  await page.goto(url);
  return page;
};

const runs = readRuns(), report = readReport([...runs.keys()]);
const picture = (page, name) => page.screenshot({ path: `build/report/${name}.png` });
mkdirSync("build/report", { recursive: true });

const still = await open({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
const tables = await still.evaluate(readTables);
check("without scripts all documents are there", comparisons(tables).every((t) => t.seen));
check("and pictures", (await still.locator("noscript img").count()) >= runs.size || (await still.locator("img").count()) >= runs.size);
compareWithReport(tables, report);
compareWithRuns(tables, runs);
compareWithCsv(tables, runs);
compareWithData(tables, (await still.locator("script.figures").allTextContents()).map((text) => JSON.parse(text)));
compareWithCurves(await still.evaluate(() => [...document.querySelectorAll("script.curves")].map((s) => ({ chapter: s.closest("section.format").id, data: JSON.parse(s.textContent) }))), report);
compareWithPick(tables, runs.keys());
await still.close();

const page = await open({ viewport: { width: 1280, height: 900 }, colorScheme: "light", reducedMotion: "reduce" });
same("scripts leave the figures as they are", (await page.evaluate(readTables)).map((t) => [t.rows, t.values]), tables.map((t) => [t.rows, t.values]));
const light = await page.evaluate(readContrast);
check("contrast of texts, light", light.texts >= 4.5, light.texts);
check("contrast of marks, light", light.marks >= 3, light.marks);
await ticks(page);
await hovering(page);
await picture(page, "light");
await sorting(page);
await documents(page);
await paths(page);
await fronts(page, report);
await everyChart(page);

await page.emulateMedia({ colorScheme: "dark" });
const dark = await page.evaluate(readContrast);
check("contrast of texts, dark", dark.texts >= 4.5, dark.texts);
check("contrast of marks, dark", dark.marks >= 3, dark.marks);
check("dark is dark", await page.evaluate(() => getComputedStyle(document.body).backgroundColor !== "rgb(255, 255, 255)"));
await picture(page, "dark");

await page.setViewportSize({ width: 375, height: 812 });
await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
const [width, room] = await overflow(page);
check("a phone's width is enough", width <= room, `${width} in ${room}`);
await page.locator(`#autofdo ${FRONT}`).scrollIntoViewIfNeeded();
await page.locator(`#autofdo ${FRONT} svg`).waitFor();
check("with charts, too", (await overflow(page))[0] <= 375);
await picture(page, "phone");
await browser.close();

console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length ? 1 : 0);
