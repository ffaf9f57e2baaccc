// Unpack the script of the page and run it. The policy of the page allows this script only, by its hash.
(async () => {
  try {
    const packed = atob(document.getElementById("script")?.textContent ?? "");
    const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.body.append(script);
    script.remove();
  } catch (error) {
    const line = document.getElementById("trouble");
    if (!line) throw error;
    line.textContent = `Cannot run this page (${error}). It requires a browser released in 2023 or later.`;
    line.hidden = false;
  }
})();
