"use strict";
{
  const cards = [...document.querySelectorAll("#claims details.card")];
  const search = document.getElementById("search");
  const texts = new Map();
  const textOf = (card) => {
    if (!texts.has(card)) texts.set(card, card.textContent.toLowerCase());
    return texts.get(card);
  };

  document.querySelectorAll(".scripted").forEach((part) => { part.hidden = false; });

  const boxes = [...document.querySelectorAll(".tile input")];
  const verdictOf = (box) => box.id.slice("show-".length);
  const first = boxes.filter((box) => box.checked).map(verdictOf).join(",");

  function update() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0, behind = 0;
    for (const card of cards) {
      const box = document.getElementById("show-" + card.dataset.verdict);
      const found = words.every((word) => textOf(card).includes(word));
      const ticked = !box || box.checked || card.classList.contains("unexpected");
      card.hidden = !(found && ticked);
      if (found && ticked) shown += 1;
      if (found && !ticked) behind += 1;
    }
    for (const part of [...document.querySelectorAll(".group"), ...document.querySelectorAll(".paper")]) {
      part.hidden = !part.querySelector("details.card:not([hidden])");
      if (words.length && !part.hidden && part.matches("details")) part.open = true;
    }
    document.getElementById("found").textContent = 
      shown + " of " + cards.length + " claims" + (words.length && behind ? "; " + behind + " more under other verdicts" : "");
    document.getElementById("nothing").hidden = shown > 0;
  }

  function keepInAddress() {
    const state = new URLSearchParams();
    const ticked = boxes.filter((box) => box.checked).map(verdictOf).join(",");
    if (ticked !== first) state.set("show", ticked);
    if (search.value) state.set("q", search.value);
    const query = state.toString();
    history.replaceState(null, "", location.pathname + (query ? "?" + query : "") + location.hash);
  }

  function readAddress() {
    const state = new URLSearchParams(location.search);
    if (state.has("q")) search.value = state.get("q");
    if (state.has("show")) {
      const ticked = state.get("show").split(",");
      boxes.forEach((box) => { if (!box.disabled) box.checked = ticked.includes(verdictOf(box)); });
    }
  }

  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let fold = target.closest("details.fold"); fold; fold = fold.parentElement.closest("details.fold")) fold.open = true;
    const card = target.closest("details.card");
    if (!card) return;
    const box = document.getElementById("show-" + card.dataset.verdict);
    if (search && (card.hidden || (box && !box.checked))) {
      search.value = "";
      if (box) box.checked = true;
      update();
    }
    card.open = true;
    card.querySelector("summary").focus({ preventScroll: true });
    requestAnimationFrame(() => requestAnimationFrame(() => card.scrollIntoView({ block: "start" })));
  }

  if (search) {
    let waiting = 0;
    const changed = () => { update(); keepInAddress(); };
    search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(changed, 80); });
    boxes.forEach((box) => box.addEventListener("change", changed));
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); }
    });
    const unfold = document.getElementById("unfold");
    unfold.addEventListener("click", () => {
      const open = unfold.textContent === "Open all";
      cards.forEach((card) => { if (!card.hidden) card.open = open; });
      unfold.textContent = open ? "Close all" : "Open all";
    });
    readAddress();
    update();
    window.addEventListener("hashchange", openTarget);
    if (location.hash) openTarget();
  }

  function offerCopy(code) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.className = "copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    code.after(" ", button);
  }
  document.addEventListener("toggle", (event) => {
    const code = event.target.open && event.target.querySelector(".rerun");
    if (code && !code.parentElement.querySelector("button")) offerCopy(code);
  }, true);

  if (matchMedia("(max-width: 70rem)").matches) {
    document.querySelectorAll("details.toc").forEach((toc) => { toc.open = false; });
  }
}
