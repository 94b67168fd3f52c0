"use strict";
// What pages gain where scripts run: tables sort and filter, commands are copied, campaigns under way come up to date.
// Everything is there without it.
(() => {
  const many = 12; // rows from which a table can be filtered
  const pause = 5000; // ms between looks at what goes on
  const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  const value_of = (cell) => (cell ? (cell.dataset.value ?? cell.textContent.trim()) : "");

  function compare(a, b) {
    if (a === "" || b === "") return a === b ? 0 : a === "" ? 1 : -1; // what is missing comes last
    const x = Number(a), y = Number(b);
    return Number.isNaN(x) || Number.isNaN(y) ? words.compare(a, b) : x - y;
  }

  function sort(table, column, up) {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [value_of(row.cells[column]), row]);
    rows.sort(([a], [b]) => (up || a === "" || b === "" ? compare(a, b) : -compare(a, b)));
    body.append(...rows.map(([, row]) => row));
    [...table.tHead.rows[0].cells].forEach((head, i) => {
      if (i === column) head.setAttribute("aria-sort", up ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  }

  function make_sortable(table) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, column, head.getAttribute("aria-sort") !== "ascending"));
      head.append(button);
    });
  }

  function make_filterable(table) {
    const box = table.closest(".scroll");
    if (!box || table.tBodies[0].rows.length < many) return;
    const label = document.createElement("label");
    const input = document.createElement("input");
    const found = document.createElement("span");
    label.className = "filter";
    input.type = "search";
    found.setAttribute("role", "status");
    label.append("Filter ", input, " ", found);
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !wanted.every((word) => text.includes(word));
        shown += !row.hidden;
      }
      found.textContent = wanted.length ? shown + " of " + table.tBodies[0].rows.length : "";
    });
    box.before(label);
  }

  function make_copied(block) {
    if (!navigator.clipboard) return; // without TLS, but for localhost
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(block.querySelector("code").textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not allowed";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    block.append(button);
  }

  function enhance(root) {
    for (const table of root.querySelectorAll("main table, table")) {
      if (table.dataset.enhanced) continue;
      table.dataset.enhanced = "yes";
      make_sortable(table);
      make_filterable(table);
    }
    root.querySelectorAll(".command").forEach(make_copied);
  }

  // Sections of the page as the server makes it now take the place of those that differ.
  const live = new Map([...document.querySelectorAll("[data-live]")].map((one) => [one.id, one.outerHTML]));
  let tag = "";

  function take(text) {
    const page = new DOMParser().parseFromString(text, "text/html");
    let going_on = false;
    for (const [id, before] of live) {
      const now = page.getElementById(id), here = document.getElementById(id);
      if (!now || !here) continue;
      going_on ||= now.hasAttribute("data-live");
      if (now.outerHTML === before) continue;
      live.set(id, now.outerHTML);
      if (here.contains(document.activeElement)) continue; // who reads here with the keyboard keeps the place
      here.replaceWith(document.adoptNode(now));
      enhance(document.getElementById(id));
    }
    return going_on;
  }

  async function look() {
    let going_on = true;
    if (!document.hidden) {
      try {
        const answer = await fetch(location.href, { headers: { ...(tag ? { "If-None-Match": tag } : {}), Accept: "text/html" }, cache: "no-store" });
        if (answer.ok) {
          tag = answer.headers.get("ETag") ?? "";
          going_on = take(await answer.text());
        }
      } catch {
        // The server is away: it may come again.
      }
    }
    if (going_on) setTimeout(look, pause);
  }

  enhance(document);
  if (live.size) setTimeout(look, pause);
})();
