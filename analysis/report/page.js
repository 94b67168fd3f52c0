"use strict";
// Draws the charts of a stackx report from the data in the page. What is drawn is what `stackx report
// --json` prints: nothing is computed here but the outline of the violins, which Plotly estimates.
(() => {
  const report = JSON.parse(document.getElementById("report-data").textContent);
  // "rate", "memory": what is ranked by; an error has no unit.
  const noun = report.ranking.metric.replaceAll("_", " "), unit = report.ranking.unit;
  const amount = noun + (unit ? ", " + unit : "");
  const charted = 30; // stacks in a chart, and as lines over each other; the tables have more
  const lines = 12;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paper_width = 680; // of A4 and US Letter, less margins, in CSS pixels
  let printing = false;

  // Plotly reads a part of HTML in labels; these are names, and mean themselves.
  const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const significant = (value) => Number(value.toPrecision(4)).toString();
  const narrow = () => !printing && window.innerWidth < 640;
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const line_colour = (i) => colour("--c" + (i % 8));
  const faint = (hex, alpha) => "rgba(" + [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)).join(",") + "," + alpha + ")";

  // At most `width` characters a line, broken after commas and blanks where possible.
  function folded(text, width) {
    const lines = [];
    let line = "";
    for (const word of text.split(/(?<=[, ])/)) {
      if (line && line.length + word.trimEnd().length > width) {
        lines.push(line.trimEnd());
        line = "";
      }
      line += word;
    }
    lines.push(line);
    return lines.map((one) => plain(one.length > width + 8 ? one.slice(0, width + 7) + "…" : one)).join("<br>");
  }

  const rank_of = new Map(report.distributions.map((one, i) => [one.id, i]));
  const place = (id) => (rank_of.has(id) ? "#" + (rank_of.get(id) + 1) : "#–");
  const name = (one) => place(one.id) + (narrow() ? "" : " " + folded(one.label || "the only stack", printing ? 64 : 58));

  function layout(changes) {
    const axis = { gridcolor: colour("--line"), linecolor: colour("--line"), zerolinecolor: colour("--line"), automargin: true };
    const base = {
      paper_bgcolor: colour("--paper"), plot_bgcolor: colour("--paper"),
      font: { color: colour("--text"), size: printing ? 9 : 12, family: "system-ui, 'DejaVu Sans', sans-serif" },
      margin: { l: 8, r: 16, t: 12, b: 8 }, dragmode: false, hovermode: "closest",
      legend: { orientation: "h", y: -0.18, yanchor: "top", x: 0, xanchor: "left", font: { size: printing ? 8 : 11 } },
      height: 420,
    };
    const all = { ...base, ...changes };
    all.xaxis = { ...axis, ...changes.xaxis };
    all.yaxis = { ...axis, ...changes.yaxis };
    return all;
  }

  const titled = (text) => ({ title: { text: plain(text), standoff: 8 } });
  const by_stack = (count, names, rows) => ({
    height: 110 + count * (narrow() || printing ? 26 : rows), showlegend: false,
    yaxis: { type: "category", categoryorder: "array", categoryarray: names, range: [count - 0.4, -0.6], tickfont: { size: printing ? 7 : 11 } },
  });

  function box() {
    const shown = report.distributions.slice(0, charted);
    const names = shown.map((one) => name(one) + " (n=" + one.n + ")");
    const first = report.ranking.recommendations[0].rank;
    const traces = [true, false].map((best) => {
      const rows = shown.map((one, i) => i).filter((i) => (report.ranking.recommendations[i].rank === first) === best);
      const of = (key) => rows.map((i) => shown[i][key]);
      const tone = colour(best ? "--accent" : "--rest");
      return {
        type: "box", orientation: "h", name: best ? "first place" : "others", y: rows.map((i) => names[i]),
        q1: of("q1"), median: of("median"), q3: of("q3"), lowerfence: of("low"), upperfence: of("high"), x: of("rates"),
        boxpoints: "outliers", marker: { color: tone, size: 5, symbol: "circle-open" }, line: { color: tone, width: 1.5 },
        fillcolor: faint(tone, 0.25),
      };
    }).filter((trace) => trace.y.length > 0);
    return { data: traces, layout: layout({ ...by_stack(shown.length, names, 36), xaxis: titled(amount + ", of an inspection") }) };
  }

  function violin() {
    const shown = report.distributions.slice(0, charted);
    const names = shown.map((one) => name(one) + " (n=" + one.n + ")");
    const first = report.ranking.recommendations[0].rank;
    const traces = shown.map((one, i) => {
      const tone = colour(report.ranking.recommendations[i].rank === first ? "--accent" : "--rest");
      const enough = one.n >= 6;
      return {
        type: "violin", orientation: "h", name: names[i], x: one.rates, y: one.rates.map(() => names[i]), width: 0.95,
        points: "all", jitter: 0.35, pointpos: 0, spanmode: "hard", hoveron: "points+kde",
        marker: { color: tone, size: 3, opacity: 0.6 }, line: { color: tone, width: enough ? 1 : 0 },
        fillcolor: enough ? faint(tone, 0.2) : "rgba(0,0,0,0)", meanline: { visible: false },
      };
    });
    return { data: traces, layout: layout({ ...by_stack(shown.length, names, 40), xaxis: titled(amount + ", of an inspection") }) };
  }

  // A line with a band around it, as three traces that the legend shows and hides together.
  function band(x, low, middle, high, tone, label, texts, visible) {
    const common = { type: "scatter", x, legendgroup: label, hoverinfo: "skip", showlegend: false, visible };
    return [
      { ...common, y: high, mode: "lines", line: { width: 0, color: tone } },
      { ...common, y: low, mode: "lines", line: { width: 0, color: tone }, fill: "tonexty", fillcolor: faint(tone, 0.18) },
      { ...common, y: middle, mode: "lines+markers", line: { color: tone, width: 2 }, marker: { color: tone, size: 6 },
        name: label, showlegend: true, hoverinfo: "text", text: texts },
    ];
  }

  function spread(points, axis_title, value_title) {
    const x = points.map((p) => p.repetitions);
    const share = (key) => points.map((p) => 100 * p[key]);
    const texts = points.map((p) => p.repetitions + ": " + significant(100 * p.median) + "% (n=" + p.stacks + " stacks)");
    return {
      data: band(x, share("q1"), share("median"), share("q3"), colour("--accent"), "median over the stacks", texts, true),
      layout: layout({
        showlegend: false, height: 340,
        xaxis: { type: "log", tickvals: x, ticktext: x.map(String), ...titled(axis_title) },
        yaxis: { rangemode: "tozero", ticksuffix: "%", ...titled(value_title) },
      }),
    };
  }

  function size(key, title, kind) {
    const ranked = report.sizes.curves.filter((one) => rank_of.has(one.id)); // none where a component says how many workers
    const curves = (ranked.length > 0 ? ranked : report.sizes.curves)
      .sort((a, b) => (rank_of.get(a.id) ?? 0) - (rank_of.get(b.id) ?? 0)).slice(0, lines);
    const ticks = [...new Set(curves.flatMap((one) => one.points.map((p) => p.size)))].sort((a, b) => a - b);
    const data = curves.flatMap((one, i) => {
      const points = one.points.filter((p) => p[key]);
      const of = (part) => points.map((p) => p[key][part]);
      const texts = points.map((p) => place(one.id) + ", size " + significant(p.size) + ": " + significant(p[key].median) +
        " " + (key === "rate" ? unit : "s") + (key === "rate" && p.efficiency ? ", " + significant(100 * p.efficiency) + "% efficient" : "") +
        " (n=" + p.n + ")");
      return band(points.map((p) => p.size), of("q1"), of("median"), of("q3"), line_colour(i), name(one), texts,
        i < 6 ? true : "legendonly");
    });
    return {
      data,
      layout: layout({
        height: 460 + (narrow() ? 12 : 24) * Math.ceil(curves.length / (narrow() ? 4 : 2)),
        xaxis: { type: "log", tickvals: ticks, ticktext: ticks.map(significant), ...titled(report.sizes.axis) },
        yaxis: { type: kind, ...(kind === "log" ? { dtick: 1, exponentformat: "SI", minexponent: 0, ticksuffix: "s" } : {}), ...titled(title) },
      }),
    };
  }

  // Rounds of several campaigns stand one after the other.
  function timeline() {
    const last = new Map();
    for (const one of report.distributions)
      for (const at of one.rounds) if (at.campaign) last.set(at.campaign, Math.max(last.get(at.campaign) ?? 0, at.round));
    for (const drift of report.drift)
      for (const at of drift.rounds) last.set(drift.campaign, Math.max(last.get(drift.campaign) ?? 0, at.round));
    const start = new Map();
    let next = 0;
    for (const campaign of report.campaigns)
      if (last.has(campaign.id)) {
        start.set(campaign.id, next);
        next += last.get(campaign.id) + 1;
      }
    const borders = [...start.values()].filter((at) => at > 0).map((at) => (
      { type: "line", x0: at - 0.5, x1: at - 0.5, y0: 0, y1: 1, yref: "paper", line: { color: colour("--muted"), width: 1, dash: "dot" } }));
    return { start, borders, title: start.size > 1 ? "round, campaigns one after the other" : "round" };
  }

  function shift() {
    const { start, borders, title } = timeline();
    const marks = report.drift.flatMap((drift) => drift.changes.map((change) => ({ at: start.get(drift.campaign) + change.round - 0.5, ratio: change.ratio })));
    const data = report.drift.map((drift) => ({
      type: "scatter", mode: "lines+markers", name: drift.campaign.slice(0, 12), marker: { size: 5, color: colour("--accent") },
      line: { color: colour("--accent"), width: 1.5 },
      x: drift.rounds.map((at) => start.get(drift.campaign) + at.round), y: drift.rounds.map((at) => 100 * Math.expm1(at.shift)),
      text: drift.rounds.map((at) => "round " + at.round + " of " + drift.campaign.slice(0, 12) + " (n=" + at.arms + ")"),
    }));
    return {
      data,
      layout: layout({
        showlegend: false, height: 320, xaxis: titled(title), yaxis: { ticksuffix: "%", ...titled("shift of all stacks") },
        shapes: borders.concat(marks.map((mark) => (
          { type: "line", x0: mark.at, x1: mark.at, y0: 0, y1: 1, yref: "paper", line: { color: colour("--bad"), width: 1.5, dash: "dash" } }))),
        annotations: marks.map((mark) => (
          { x: mark.at, y: 1, yref: "paper", yanchor: "top", xanchor: "left", showarrow: false, text: "×" + mark.ratio.toFixed(3), font: { color: colour("--bad") } })),
      }),
    };
  }

  function rounds() {
    const { start, borders, title } = timeline();
    const shown = report.distributions.slice(0, lines);
    const data = shown.map((one, i) => {
      const at = one.rounds.map((round, j) => ({ x: start.get(round.campaign) + round.round, y: one.rates[j], known: start.has(round.campaign) }))
        .filter((point) => point.known).sort((a, b) => a.x - b.x);
      return {
        type: "scatter", mode: "lines+markers", name: name(one) + " (n=" + at.length + ")", visible: i < 5 ? true : "legendonly",
        line: { color: line_colour(i), width: 1.2 }, marker: { color: line_colour(i), size: 4 },
        x: at.map((point) => point.x), y: at.map((point) => point.y),
      };
    });
    return {
      data,
      layout: layout({
        height: 420 + (narrow() ? 12 : 24) * Math.ceil(shown.length / (narrow() ? 4 : 2)), shapes: borders,
        xaxis: titled(title), yaxis: titled(amount),
      }),
    };
  }

  function sentinels() {
    const shown = [...report.sentinels.tests].sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio))).slice(0, 60);
    const names = shown.map((one) => place(one.id ?? one.stack) + " " + (narrow() ? one.stack.slice(0, 6) : plain(one.arm)) + " (n=" + one.pairs + ")");
    const tones = shown.map((one) => colour(one.different ? "--bad" : "--accent"));
    const edge = 1 + report.ranking.delta;
    return {
      data: [{
        type: "scatter", mode: "markers", y: names, x: shown.map((one) => one.ratio), marker: { color: tones, size: 7 },
        error_x: { type: "data", symmetric: false, color: colour("--rest"), thickness: 1.2, width: 3,
          array: shown.map((one) => (one.ci ? one.ci[1] - one.ratio : 0)), arrayminus: shown.map((one) => (one.ci ? one.ratio - one.ci[0] : 0)) },
      }],
      layout: layout({
        ...by_stack(shown.length, names, 20),
        xaxis: titled("ratio of one stack's two names"),
        shapes: [{ type: "rect", layer: "below", x0: 1 / edge, x1: edge, y0: 0, y1: 1, yref: "paper", line: { width: 0 }, fillcolor: faint(colour("--rest"), 0.2) },
          { type: "line", x0: 1, x1: 1, y0: 0, y1: 1, yref: "paper", line: { color: colour("--muted"), width: 1 } }],
      }),
    };
  }

  function effects() {
    const shown = report.effects.effects.slice(0, charted);
    const names = shown.map((one) => folded(one.component + ": " + (one.from ?? "absent") + " → " + (one.to ?? "absent"), narrow() ? 24 : printing ? 64 : 56) +
      " (n=" + one.stacks_from + ", " + one.stacks_to + ")");
    return {
      data: [{
        type: "scatter", mode: "markers", y: names, x: shown.map((one) => one.ratio), marker: { color: colour("--accent"), size: 7 },
        error_x: { type: "data", symmetric: false, color: colour("--rest"), thickness: 1.2, width: 3,
          array: shown.map((one) => (one.ci95 ? one.ci95[1] - one.ratio : 0)), arrayminus: shown.map((one) => (one.ci95 ? one.ratio - one.ci95[0] : 0)) },
      }],
      layout: layout({
        ...by_stack(shown.length, names, 26),
        xaxis: { type: "log", ...titled(noun + " with the second version / with the first") },
        shapes: [{ type: "line", x0: 1, x1: 1, y0: 0, y1: 1, yref: "paper", line: { color: colour("--muted"), width: 1 } }],
      }),
    };
  }

  const charts = {
    "chart-box": box,
    "chart-violin": violin,
    "chart-samples": () => spread(report.spread.by_samples, "samples in a process", "CV between inspections"),
    "chart-inspections": () => spread(report.spread.by_inspections, "inspections of a stack", "width of the CI"),
    "chart-size-rate": () => size("rate", amount, "linear"),
    "chart-size-elapsed": () => size("seconds", "elapsed time of an operation", "log"),
    "chart-effects": effects,
    "chart-shift": shift,
    "chart-rounds": rounds,
    "chart-sentinels": sentinels,
  };
  const config = {
    displaylogo: false, responsive: false, // the width is set here: see draw()
    modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", "toImage"]],
  };

  function draw() {
    for (const [id, make] of Object.entries(charts)) {
      const target = document.getElementById(id);
      if (!target) continue;
      const { data, layout } = make();
      layout.width = printing ? paper_width : target.clientWidth;
      Plotly.react(target, data, layout, config);
    }
  }

  // Paper is white and has room for what is folded away.
  let closed = [];
  function print_begins() {
    if (printing) return;
    printing = true;
    document.documentElement.classList.add("printing");
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const one of closed) one.open = true;
    draw();
  }
  function print_ends() {
    printing = false;
    document.documentElement.classList.remove("printing");
    for (const one of closed) one.open = false;
    draw();
  }

  draw();
  let drawn_width = document.documentElement.clientWidth;
  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const width = document.documentElement.clientWidth;
      if (printing || width === drawn_width) return; // a phone's address bar resizes, too
      drawn_width = width;
      draw();
    }, 150);
  });
  dark.addEventListener("change", draw);
  addEventListener("beforeprint", print_begins);
  addEventListener("afterprint", print_ends);
})();
