showClocks(document);
showFits(document);
document.addEventListener("change", () => showFits(document));
