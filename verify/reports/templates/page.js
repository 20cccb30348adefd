"use strict";
{
  const cards = [...document.querySelectorAll("details.card")];
  const search = document.getElementById("search");
  const texts = new Map();
  const textOf = (card) => {
    if (!texts.has(card)) texts.set(card, card.textContent.toLowerCase());
    return texts.get(card);
  };

  document.querySelectorAll(".scripted").forEach((part) => { part.hidden = false; });

  function update() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const card of cards) {
      const box = document.getElementById("show-" + card.dataset.verdict);
      const fits = (!box || box.checked) && words.every((word) => textOf(card).includes(word));
      card.hidden = !fits;
      if (fits) shown += 1;
    }
    for (const part of [...document.querySelectorAll(".group"), ...document.querySelectorAll(".paper")]) {
      part.hidden = !part.querySelector("details.card:not([hidden])");
    }
    document.getElementById("found").textContent = shown + " of " + cards.length + " claims";
    document.getElementById("nothing").hidden = shown > 0;
  }

  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const card = target.closest("details.card");
    if (!card) return;
    if (card.hidden && search) {
      search.value = "";
      const box = document.getElementById("show-" + card.dataset.verdict);
      if (box) box.checked = true;
      update();
    }
    card.open = true;
    card.querySelector("summary").focus({ preventScroll: true });
    requestAnimationFrame(() => requestAnimationFrame(() => card.scrollIntoView({ block: "start" })));
  }

  if (search) {
    let waiting = 0;
    search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(update, 80); });
    document.querySelectorAll(".tile input").forEach((box) => box.addEventListener("change", update));
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); }
    });
    const unfold = document.getElementById("unfold");
    unfold.addEventListener("click", () => {
      const open = unfold.textContent === "Open all";
      cards.forEach((card) => { if (!card.hidden) card.open = open; });
      unfold.textContent = open ? "Close all" : "Open all";
    });
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
    const code = event.target.open && event.target.querySelector("code.rerun");
    if (code && !code.parentElement.querySelector("button")) offerCopy(code);
  }, true);

  if (matchMedia("(max-width: 70rem)").matches) {
    document.querySelectorAll("details.toc").forEach((toc) => { toc.open = false; });
  }
  let reopened = [];
  window.addEventListener("beforeprint", () => {
    reopened = [...document.querySelectorAll("details:not([open])")];
    reopened.forEach((part) => { part.open = true; });
  });
  window.addEventListener("afterprint", () => { reopened.forEach((part) => { part.open = false; }); });
}
