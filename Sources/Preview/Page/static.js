measure(document);
document.addEventListener("change", () => showFits(document));
window.addEventListener("resize", () => showFits(document));
