/** Save to a file while judging, in browsers with the File System Access API. */

/** @typedef {{name: string, getFile: () => Promise<{text: () => Promise<string>}>, createWritable: () => Promise<{write: (text: string) => Promise<void>, close: () => Promise<void>}>}} FileHandle */

export class JudgmentFile {
  /** @param {() => string} content of the file @param {() => void} changed called when the state changes */
  constructor(content, changed) {
    this.content = content;
    this.changed = changed;
    /** @type {FileHandle | null} */
    this.handle = null;
    /** @type {"off" | "saved" | "saving" | "failed"} */
    this.state = "off";
    this.again = false;
  }

  /** Let the judge choose a file, and return what is in it already. @param {string} name @returns {Promise<string | null>} null if none was chosen */
  async choose(name) {
    const pick = /** @type {any} */ (window).showSaveFilePicker;
    try {
      /** @type {FileHandle} */
      const handle = await pick({
        suggestedName: name,
        types: [{ description: "Judgments", accept: { "application/x-ndjson": [".jsonl"] } }],
      });
      const text = await (await handle.getFile()).text();
      this.handle = handle;
      return text;
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return null;
      throw error;
    }
  }

  /** Write all judgments. While a write is under way, the next one waits for it. */
  async save() {
    if (!this.handle) return;
    this.again = true;
    if (this.state === "saving") return;
    this.state = "saving";
    this.changed();
    try {
      while (this.again) {
        this.again = false;
        const file = await this.handle.createWritable();
        await file.write(this.content());
        await file.close(); // only now the old content is replaced
      }
      this.state = "saved";
    } catch {
      this.state = "failed";
    }
    this.changed();
  }
}

/** Whether the browser can save to a file. */
export function canSaveFiles() {
  return "showSaveFilePicker" in window;
}
