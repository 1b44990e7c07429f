/*
 * The behaviour of the report's page: it sorts tables, shows and hides codecs, chooses a document,
 * draws charts with Observable Plot (where the page has it). Every figure comes from the tables or from the JSON that
 * `bakeoff report` put beside them.
 */
"use strict";

(() => {
  /* ---- texts, as the program writes them ---------------------------------------------------- */

  const significant = (v) => {
    if (!Number.isFinite(v)) return "-";
    const decimals = v === 0 ? 2 : 2 - Math.floor(Math.log10(Math.abs(v) * 1.0005));
    return v.toFixed(Math.min(Math.max(decimals, 0), 9));
  };

  const timeUnit = (ns) =>
    ns >= 1e10 ? ["s", 1e9] : ns >= 1e7 ? ["ms", 1e6] : ns >= 1e4 ? ["us", 1e3] : ["ns", 1];
  const timeText = (ns) => `${significant(ns / timeUnit(ns)[1])} ${timeUnit(ns)[0]}`;
  const bytesText = (n) => `${n.toLocaleString("en")} B`;

  const short = (v) => String(Number(v.toPrecision(6)));
  const tickUnit = (ns) => (ns >= 1e9 ? ["s", 1e9] : ns >= 1e6 ? ["ms", 1e6] : ns >= 1e3 ? ["us", 1e3] : ["ns", 1]);
  const timeTick = (ns) => `${short(ns / tickUnit(ns)[1])} ${tickUnit(ns)[0]}`;
  const bytesTick = (n) =>
    n >= 1e9 ? `${short(n / 1e9)} GB` : n >= 1e6 ? `${short(n / 1e6)} MB` : n >= 1e3 ? `${short(n / 1e3)} kB` : `${short(n)} B`;
  const sizeText = (n) => {
    const [unit, factor] = n >= 1e9 ? ["GB", 1e9] : n >= 1e6 ? ["MB", 1e6] : n >= 1e3 ? ["kB", 1e3] : ["B", 1];
    return `${significant(n / factor)} ${unit}`;
  };
  const countTick = (n) => n.toLocaleString("en");

  const ROLES = ["status quo", "proposed", "control", "new"];
  const roleClass = (role) => role.replace(" ", "-");
  const roleColour = (codec) => `var(--${roleClass(codec.role)}, var(--control))`;

  const element = (tag, properties = {}, ...children) => {
    const e = Object.assign(document.createElement(tag), properties);
    e.append(...children);
    return e;
  };

  /* ---- sorting ------------------------------------------------------------------------------ */

  const UNITS = { k: 1e3, M: 1e6, G: 1e9, T: 1e12, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, us: 1e3, ms: 1e6, s: 1e9 };

  /* A cell's number: the one that the program gave, or else the one that it begins with. NaN: none. */
  const numberOf = (cell) => {
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    const found = /^([+-]?\d+(?:\.\d+)?)(?:%|x| ?([a-zA-Z]+))?/.exec(cell.textContent.trim());
    return found ? Number(found[1]) * (UNITS[found[2]] ?? 1) : NaN;
  };

  /* Numbers in order; cells without one, such as "-" and "failed", last whichever the direction. */
  const sortRows = (rows, column, direction) => {
    const keys = rows.map((row) => ({ row, n: numberOf(row.cells[column]), text: row.cells[column].textContent }));
    const numeric = keys.some((k) => !Number.isNaN(k.n)) && column > 0;
    keys.sort((a, b) => {
      if (!numeric) return direction * a.text.localeCompare(b.text, "en", { numeric: true });
      if (Number.isNaN(a.n) || Number.isNaN(b.n)) return Number.isNaN(a.n) - Number.isNaN(b.n);
      return direction * (a.n - b.n);
    });
    return keys.map((k) => k.row);
  };

  /* A click sorts upwards, another one downwards, a third one brings the first order back. */
  const makeSortable = (table) => {
    const body = table.tBodies[0];
    if (!body || body.rows.length < 2) return;
    const original = [...body.rows];
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      const button = element("button", { type: "button" }, ...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const was = heading.getAttribute("aria-sort");
        headings.forEach((h) => h.removeAttribute("aria-sort"));
        const next = was === null ? "ascending" : was === "ascending" ? "descending" : null;
        if (next) heading.setAttribute("aria-sort", next);
        body.append(...(next ? sortRows(original, column, next === "ascending" ? 1 : -1) : original));
      });
    });
  };

  /* ---- axes of charts ----------------------------------------------------------------------- */

  /* A logarithmic axis with room around the values, and round numbers on it. */
  const logAxis = (values, tickFormat, label, most = 9) => {
    const low = Math.min(...values), high = Math.max(...values);
    const pad = Math.max(1.15, (high / low) ** 0.07);
    const domain = [low / pad, high * pad];
    const choices = [[1, 1.5, 2, 3, 4, 5, 7], [1, 2, 5], [1, 3], [1]];
    for (const steps of choices) {
      const ticks = [];
      for (let e = Math.floor(Math.log10(domain[0])); e <= Math.ceil(Math.log10(domain[1])); e++)
        for (const step of steps) ticks.push(step * 10 ** e);
      const seen = ticks.filter((t) => t >= domain[0] && t <= domain[1]);
      if (seen.length <= most || steps.length === 1)
        return { ticks: thin(seen, most), tickFormat, label, scale: { type: "log", domain, axis: null } };
    }
  };
  const axes = (x, y) => [
    Plot.gridX(x.ticks), Plot.gridY(y.ticks),
    Plot.axisX(x.ticks, { text: x.tickFormat, label: x.label, labelArrow: "none", tickSize: 4 }),
    Plot.axisY(y.ticks, { text: y.tickFormat, label: y.label, labelArrow: "none", tickSize: 4 }),
  ];
  const thin = (ticks, most) => ticks.filter((_, i) => i % Math.ceil(ticks.length / most) === 0);

  const pencil = document.createElement("canvas").getContext("2d");
  const FONT = 12;
  const textWidth = (text) => {
    pencil.font = `${FONT}px system-ui, sans-serif`;
    return pencil.measureText(text).width;
  };

  const SVG = "http://www.w3.org/2000/svg";
  const svgText = (text, attributes) => {
    const t = document.createElementNS(SVG, "text");
    t.textContent = text;
    t.setAttribute("text-anchor", "start");
    for (const [name, value] of Object.entries(attributes)) t.setAttribute(name, value);
    return t;
  };

  /* Names beside points, each where it covers neither a point nor another name; the others are in the tips. */
  const names = (points, front) => (_, scales, __, dimensions) => {
    const g = document.createElementNS(SVG, "g");
    const at = (p) => ({ x: scales.x(p.x), y: scales.y(p.y) });
    const around = (x1, y1, x2, y2, room) => ({ l: Math.min(x1, x2) - room, r: Math.max(x1, x2) + room, t: Math.min(y1, y2) - room, b: Math.max(y1, y2) + room });
    const taken = points.map(at).map(({ x, y }) => around(x, y, x, y, 6));
    front.map(at).forEach((p, i, all) => {
      if (i === 0) return;
      taken.push(around(all[i - 1].x, all[i - 1].y, p.x, all[i - 1].y, 1), around(p.x, all[i - 1].y, p.x, p.y, 1));
    });
    const free = (box) =>
      box.l >= dimensions.marginLeft && box.r <= dimensions.width && box.t >= 0 &&
      box.b <= dimensions.height - dimensions.marginBottom &&
      taken.every((o) => box.r < o.l || box.l > o.r || box.b < o.t || box.t > o.b);
    for (const p of [...points].sort((a, b) => b.onFront - a.onFront)) {
      const x = scales.x(p.x), y = scales.y(p.y), w = textWidth(p.name), h = FONT + 2;
      const places = [[9, -h / 2], [-9 - w, -h / 2], [-w / 2, -9 - h], [-w / 2, 9], [7, -h - 4], [7, 4], [-7 - w, -h - 4], [-7 - w, 4]];
      for (const [dx, dy] of places) {
        const box = { l: x + dx, r: x + dx + w, t: y + dy, b: y + dy + h };
        if (!free(box)) continue;
        taken.push(box);
        g.append(svgText(p.name, { x: box.l, y: box.b - 3, fill: "currentColor", "fill-opacity": p.onFront ? 1 : 0.75, "font-size": FONT, class: "name" }));
        break;
      }
    }
    return g;
  };

  /* ---- charts ------------------------------------------------------------------------------- */

  const soundRow = (codec, label) => {
    const row = codec.rows[label];
    return row && !row.failure && row.median_ns !== null ? row : null;
  };

  /* Bytes and time of each codec that has both; those that no other of its kind beats are on the front. */
  const frontPoints = (codecs, label) => {
    const points = codecs
      .filter((c) => c.name !== "noop" && c.bytes !== null && soundRow(c, label))
      .map((codec) => ({ codec, name: codec.name + (codec.probabilistic ? " (~)" : "") + (codec.leaves_out ? " (<)" : ""), x: codec.bytes, y: codec.rows[label].median_ns, row: codec.rows[label] }));
    const beats = (a, b) =>
      a.row.among === b.row.among && a.x <= b.x && a.y <= b.y && (a.x < b.x || a.y < b.y);
    for (const p of points) p.onFront = !points.some((other) => beats(other, p));
    return points;
  };

  const base = (width, height, more) => ({
    width, height, marginTop: 12, marginRight: 16, marginBottom: 40, marginLeft: 62, className: "plot",
    style: { fontSize: `${FONT}px`, fontFamily: "inherit", background: "transparent", overflow: "visible" }, ...more,
  });

  /* Below 6 repetitions no 95% interval exists, and low_ns and high_ns are null. */
  const rowText = (row) =>
    `${timeText(row.median_ns)}${row.low_ns === null ? "" : ` [${timeText(row.low_ns)}, ${timeText(row.high_ns)}]`}, n = ${row.n}`;
  const baselineOf = (data) => data.codecs.find((codec) => codec.name === data.baseline) ?? data.codecs[0];

  const drawFront = (chapter, width) => {
    const points = frontPoints(chapter.shownCodecs(), chapter.label);
    if (!points.length) return null;
    const baseline = baselineOf(chapter.document.data);
    const frontOf = (kind) => points.filter((p) => p.onFront && p.row.among === kind).sort((a, b) => a.x - b.x);
    const front = frontOf("read in place"), unpacked = frontOf("unpacked");
    const ticks = width < 520 ? 4 : 9;
    const y = logAxis(points.flatMap((p) => [p.row.low_ns || p.y, p.row.high_ns ?? p.y]), timeTick, `${chapter.label}, faster is down`);
    const x = logAxis(points.map((p) => p.x), bytesTick, "bytes, smaller is left", ticks);
    const title = (p) =>
      [`${p.name} (${p.codec.role})`, `${bytesText(p.x)}, ${significant(p.x / baseline.bytes)} of ${baseline.name}'s`, rowText(p.row),
        p.onFront ? "on the front" : "", p.row.among === "unpacked" ? "unpacks the whole file when it opens" : "", p.codec.leaves_out ? `without ${p.codec.leaves_out}` : ""].filter(Boolean).join("\n");
    return Plot.plot(base(width, Math.round(Math.min(480, Math.max(320, width * 0.55))), {
      x: x.scale, y: y.scale, ariaLabel: `Bytes against the time of ${chapter.label}; the table below has the same figures`,
      marks: [
        ...axes(x, y),
        Plot.line(unpacked, { x: "x", y: "y", curve: "step-after", stroke: "var(--control)", strokeDasharray: "3 4" }),
        Plot.line(front, { x: "x", y: "y", curve: "step-after", stroke: "var(--front)", strokeWidth: 1.75 }),
        Plot.ruleX(points, { x: "x", y1: (p) => p.row.low_ns || p.y, y2: (p) => p.row.high_ns ?? p.y, stroke: (p) => roleColour(p.codec), strokeOpacity: 0.55 }),
        Plot.dot(points, { x: "x", y: "y", r: (p) => (p.onFront ? 5.5 : 4.5), fill: (p) => roleColour(p.codec), symbol: (p) => p.codec.role,
          stroke: "var(--ground)", strokeWidth: 1, ariaLabel: (p) => p.name }),
        names(points, front),
        Plot.tip(points, Plot.pointer({ x: "x", y: "y", title, maxRadius: 30, fill: "var(--ground)" })),
      ],
      r: { type: "identity" },
      color: { type: "identity" },
      symbol: { domain: ROLES, range: ["square", "triangle", "circle", "diamond"] },
    }));
  };

  const SECTION_COLOURS = ["#8ec0e4", "#f0c674", "#7ccab0", "#e2b1cd", "#b7b3e6", "#f0a683", "#c3d377", "#b8c1ca", "#8bd2dd", "#d8b48d"];

  const drawBytes = (chapter, width) => {
    const codecs = chapter.shownCodecs().filter((c) => c.sections && c.bytes);
    if (!codecs.length) return null;
    const sections = new Map();
    for (const c of chapter.document.data.codecs)
      for (const s of Object.keys(c.sections ?? {})) if (!sections.has(s)) sections.set(s, sections.size);
    const smallest = Math.min(...codecs.map((c) => c.bytes)), first = baselineOf(chapter.document.data).bytes ?? smallest;
    const end = Math.min(Math.max(...codecs.map((c) => c.bytes)), Math.max(6 * smallest, 1.5 * first));
    const left = Math.min(Math.max(...codecs.map((c) => textWidth(c.name))) + 14, width * 0.52);
    const right = Math.max(...codecs.map((c) => textWidth(sizeText(c.bytes)))) + 28;
    const scale = (width - left - right) / end;
    const bars = [];
    for (const codec of codecs) {
      let at = 0;
      for (const [section, n] of Object.entries(codec.sections)) {
        if (at < end && n > 0) bars.push({ codec, section, n, x1: at, x2: Math.min(at + n, end) });
        at += n;
      }
    }
    const fits = (b) => (b.x2 - b.x1) * scale > textWidth(b.section) * 0.92 + 8;
    return Plot.plot(base(width, 26 * codecs.length + 46, {
      marginLeft: left, marginRight: right, marginBottom: 34,
      x: { domain: [0, end], label: null, tickFormat: bytesTick, ticks: width < 520 ? 3 : 6, grid: true },
      y: { domain: codecs.map((c) => c.name), label: null, tickSize: 0, padding: 0.22 },
      color: { type: "identity" },
      ariaLabel: "Bytes of each section; a table below has the same figures",
      marks: [
        Plot.rect(bars, { x1: "x1", x2: "x2", y: (b) => b.codec.name, fill: (b) => SECTION_COLOURS[sections.get(b.section) % SECTION_COLOURS.length], inset: 0.5,
          ariaLabel: (b) => b.section }),
        Plot.text(bars.filter(fits), { x: (b) => (b.x1 + b.x2) / 2, y: (b) => b.codec.name, text: "section", fill: "#15191d", fontSize: 11 }),
        Plot.text(codecs, { x: (c) => Math.min(c.bytes, end), y: "name", text: (c) => sizeText(c.bytes) + (c.bytes > end ? " \u2192" : ""), textAnchor: "start", dx: 6, fill: "currentColor" }),
        Plot.tip(bars, Plot.pointer({ x: (b) => (b.x1 + b.x2) / 2, y: (b) => b.codec.name, fill: "var(--ground)", maxRadius: 200,
          title: (b) => `${b.codec.name}: ${b.section}\n${bytesText(b.n)}, ${significant((100 * b.n) / b.codec.bytes)}% of ${bytesText(b.codec.bytes)}` })),
      ],
    }));
  };

  const SERIES_COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#3b9ad9", "#7f7f7f", "#8d6bc7"];

  const drawCurves = (chapter, width) => {
    const { documents, costs, unit } = chapter.curves;
    const cost = costs.find((c) => c.name === chapter.cost);
    const all = Object.keys(cost.codecs);
    const points = [], ends = [];
    for (const name of all) {
      if (chapter.hidden.has(name)) continue;
      const place = all.indexOf(name), colour = SERIES_COLOURS[place % SERIES_COLOURS.length], again = place >= SERIES_COLOURS.length;
      const series = cost.codecs[name]
        .map((v, d) => ({ name, x: documents[d].n_units, y: v, document: documents[d].name, colour, again }))
        .filter((p) => p.y > 0 && p.x > 0);
      points.push(...series);
      if (series.length) ends.push(series.at(-1));
    }
    if (!points.length) return null;
    const text = cost.is_time ? timeText : (v) => `${significant(v)} B`;
    const right = width < 520 ? 16 : Math.max(...ends.map((p) => textWidth(p.name))) + 36;
    const labels = (_, scales, __, dimensions) => {
      const g = document.createElementNS(SVG, "g");
      const order = ends.map((p) => ({ p, y: scales.y(p.y) })).sort((a, b) => a.y - b.y);
      for (let i = 1; i < order.length; i++) order[i].y = Math.max(order[i].y, order[i - 1].y + FONT + 2);
      const over = order.length ? order.at(-1).y - (dimensions.height - dimensions.marginBottom) : 0;
      for (const { p, y } of order) {
        const end = scales.x(p.x), at = y - Math.max(0, over);
        const leader = document.createElementNS(SVG, "path");
        leader.setAttribute("d", `M${end + 4},${scales.y(p.y)}L${end + 16},${at}H${end + 22}`);
        leader.setAttribute("fill", "none");
        leader.setAttribute("stroke", p.colour);
        g.append(leader, svgText(p.name, { x: end + 26, y: at + 4, fill: "currentColor", "font-size": FONT }));
      }
      return g;
    };
    const x = logAxis(points.map((p) => p.x), countTick, unit, width < 520 ? 4 : 8);
    const y = logAxis(points.map((p) => p.y), cost.is_time ? timeTick : bytesTick, cost.title);
    return Plot.plot(base(width, Math.round(Math.min(460, Math.max(320, width * 0.5))), {
      marginRight: right,
      x: x.scale,
      y: y.scale,
      color: { type: "identity" },
      ariaLabel: `${cost.title} against the number of ${unit}`,
      marks: [
        ...axes(x, y),
        Plot.line(points.filter((p) => !p.again), { x: "x", y: "y", z: "name", stroke: "colour", strokeWidth: 1.5 }),
        Plot.line(points.filter((p) => p.again), { x: "x", y: "y", z: "name", stroke: "colour", strokeWidth: 1.5, strokeDasharray: "5 3" }),
        Plot.dot(points, { x: "x", y: "y", fill: "colour", r: 3, ariaLabel: (p) => p.name }),
        ...(width < 520 ? [] : [labels]),
        Plot.tip(points, Plot.pointer({ x: "x", y: "y", fill: "var(--ground)", maxRadius: 40,
          title: (p) => `${p.name}\n${p.document}: ${countTick(p.x)} ${unit}\n${text(p.y)}` })),
      ],
    }));
  };

  /* ---- a format's chapter ------------------------------------------------------------------- */

  class Chapter {
    constructor(section) {
      this.section = section;
      this.hidden = new Set();
      this.documents = [...section.querySelectorAll(".document")].map((e) => ({
        element: e, name: e.dataset.document, data: JSON.parse(e.querySelector(".figures").textContent) }));
      this.document = this.documents[0];
      this.label = this.document.data.main_row;
      this.codecs = new Map(this.documents.flatMap((d) => d.data.codecs.map((c) => [c.name, c])));
      const curves = section.querySelector("script.curves");
      this.curves = curves && JSON.parse(curves.textContent);
      this.cost = this.curves?.costs[0]?.name;
      this.makeControls(section.querySelector(".controls"));
      this.showDocument(this.document.name);
      if (typeof Plot !== "undefined") this.makeCharts();
    }

    shownCodecs() {
      return this.document.data.codecs.filter((c) => !this.hidden.has(c.name));
    }

    /* -- controls -- */

    makeControls(place) {
      const choose = element("select");
      for (const d of this.documents) choose.append(element("option", { value: d.name }, d.name));
      choose.addEventListener("change", () => this.showDocument(choose.value));
      const boxes = element("div", { className: "codecs" });
      this.boxes = new Map();
      for (const codec of this.codecs.values()) {
        const box = element("input", { type: "checkbox", checked: true, value: codec.name });
        box.addEventListener("change", () => this.show((name) => (name === codec.name ? box.checked : !this.hidden.has(name))));
        this.boxes.set(codec.name, box);
        boxes.append(element("label", { className: roleClass(codec.role), title: `${codec.name} (${codec.role})` }, box,
          element("i", { className: "dot" }), element("span", {}, codec.name)));
      }
      const quick = element("div", { className: "quick" });
      const button = (text, wanted) => {
        const b = element("button", { type: "button" }, text);
        b.addEventListener("click", () => this.show(wanted));
        quick.append(b);
      };
      button("all", () => true);
      button("none", () => false);
      button("the front", (name) => frontPoints(this.document.data.codecs, this.label).some((p) => p.onFront && p.codec.name === name));
      if ([...this.codecs.values()].some((c) => c.is_path)) {
        button("the paths that ran", (name) => !this.codecs.get(name).is_path);
        button("portable C", (name) => this.codecs.get(name).portable);
      }
      for (const role of ROLES)
        if ([...this.codecs.values()].some((c) => c.role === role)) button(role, (name) => this.codecs.get(name).role === role);
      place.append(element("label", {}, "Document", choose),
        element("fieldset", {}, element("legend", {}, "Codecs in tables and charts"), quick, boxes));
    }

    showDocument(name) {
      this.document = this.documents.find((d) => d.name === name);
      for (const d of this.documents) d.element.hidden = d !== this.document;
      this.fillLabels();
      this.draw();
    }

    show(wanted) {
      this.hidden = new Set([...this.codecs.keys()].filter((name) => !wanted(name)));
      for (const [name, box] of this.boxes) box.checked = !this.hidden.has(name);
      for (const table of this.section.querySelectorAll("table[data-left]")) {
        if (!/^codec/.test(table.tHead.rows[0].cells[0].textContent)) continue;
        for (const row of table.tBodies[0]?.rows ?? []) row.hidden = this.hidden.has(this.codecOf(row));
      }
      this.draw();
    }

    /* The codec of a line: without marks, and without the format before it. */
    codecOf(row) {
      return row.cells[0].textContent.replace(/( \([~<]\))+$/, "").replace(`${this.section.id}/`, "");
    }

    /* -- charts -- */

    makeCharts() {
      const draws = { front: drawFront, bytes: drawBytes, curves: drawCurves };
      this.charts = [];
      for (const figure of this.section.querySelectorAll("figure[data-chart]")) {
        const draw = draws[figure.dataset.chart];
        if (!draw) continue;
        const place = element("div", { className: "canvas" });
        figure.append(place);
        this.charts.push({ place, draw });
        const caption = figure.querySelector("figcaption");
        if (draw === drawFront) this.addFrontControls(caption);
        if (draw === drawCurves) this.addCurveControls(caption);
      }
      this.fillLabels();
      new ResizeObserver(() => this.draw()).observe(this.charts[0].place);
      const watcher = new IntersectionObserver((entries) => {
        for (const entry of entries) {
          const chart = this.charts.find((c) => c.place === entry.target);
          chart.near = entry.isIntersecting;
          this.drawChart(chart);
        }
      }, { rootMargin: "600px" });
      for (const { place } of this.charts) watcher.observe(place);
      addEventListener("beforeprint", () => {
        for (const chart of this.charts) {
          chart.near = true;
          this.drawChart(chart);
        }
      });
    }

    addFrontControls(caption) {
      this.labels = element("select");
      this.labels.addEventListener("change", () => {
        this.label = this.labels.value;
        this.draw();
      });
      const key = element("div", { className: "key" });
      for (const role of ROLES)
        key.append(element("span", { className: roleClass(role) }, element("i", { className: "dot" }), role));
      caption.append(element("label", {}, "time of", this.labels), key);
    }

    addCurveControls(caption) {
      const choose = element("select");
      for (const cost of this.curves.costs) choose.append(element("option", { value: cost.name }, cost.title));
      choose.addEventListener("change", () => {
        this.cost = choose.value;
        this.draw();
      });
      caption.append(element("label", {}, "show", choose));
    }

    /* The rows that the document has, the one shown kept where it has it. */
    fillLabels() {
      if (!this.labels) return;
      const labels = [...new Set(this.document.data.codecs.flatMap((c) => Object.keys(c.rows)))];
      labels.sort((a, b) => b.includes("/") - a.includes("/"));
      if (!labels.includes(this.label)) this.label = this.document.data.main_row;
      this.labels.replaceChildren(...labels.map((l) => element("option", { value: l, selected: l === this.label }, l)));
    }

    /* Charts are drawn when they come near the window, and anew when what they show has changed. */
    draw() {
      this.version = (this.version ?? 0) + 1;
      for (const chart of this.charts ?? []) this.drawChart(chart);
    }

    drawChart(chart) {
      if (!chart.near) return;
      const width = Math.floor(chart.place.getBoundingClientRect().width);
      const state = `${this.version} ${width}`;
      if (width < 50 || chart.state === state) return;
      chart.state = state;
      chart.place.replaceChildren(chart.draw(this, width) ?? element("p", { className: "note" }, "Nothing that is shown has these figures."));
    }
  }

  for (const table of document.querySelectorAll("table[data-left]")) makeSortable(table);
  for (const section of document.querySelectorAll("section.format")) new Chapter(section);

  /* ---- where one is ------------------------------------------------------------------------- */

  const links = new Map([...document.querySelectorAll("nav a")].map((a) => [a.hash.slice(1), a]));
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const link = links.get(entry.target.id);
      if (!link || !entry.isIntersecting) continue;
      for (const other of links.values()) other.removeAttribute("aria-current");
      link.setAttribute("aria-current", "true");
    }
  }, { rootMargin: "-20% 0px -70% 0px" });
  for (const id of links.keys()) if (document.getElementById(id)) watcher.observe(document.getElementById(id));
})();
