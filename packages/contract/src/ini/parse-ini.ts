import { IniDocument } from './ini-document.ts';
import { type IniEntry, type IniLine, type IniRemark, type IniSection, indentOf, splitLines } from './ini-tree.ts';
import { defaultSection } from './ini-view.ts';

/** A fault of the file with its position. */
export interface IniDiagnostic {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  readonly code: 'syntax' | 'text_before_section' | 'duplicate_section' | 'duplicate_key' | 'too_large';
  /** For users, without the position. */
  readonly message: string;
  readonly section?: string;
  readonly key?: string;
}

/**
 * Reads a configuration file. The document has everything valid and `toString` returns the text byte for byte, even an invalid one.
 * `diagnostics` has the faults in the order of the lines (of a repeated section or key, the last one is effective). Lines after one that
 * exceeds a limit are kept unparsed.
 *
 * The dialect: `[section]`; `key=value` or `key: value`, names case-sensitive; a key alone has the value ''; an indented line
 * continues the value above it; a line that begins with `#` or `;` is a comment, anywhere else these belong to the value.
 */
export function parseIni(text: string): { document: IniDocument; diagnostics: readonly IniDiagnostic[] } {
  const reader = new IniReader();
  for (const line of splitLines(text)) reader.read(line);
  return { document: reader.document(), diagnostics: reader.diagnostics };
}

/** Characters: far above any real configuration, and parsed in a few milliseconds. */
const longestIni = 131_072;
const maxLines = 5000;
const maxSections = 300;
/** Every section has all of them: without a limit, a short text could expand to a very long one. */
const maxDefaults = 30;
/** Only so many faults are reported, the first ones. */
const maxDiagnostics = 200;

/** `[name]`, and behind it at most a comment. */
const header = /^\[([^\]]+)\]\s*(?:[#;].*)?$/su;

/** Whether a text is too long to be parsed. */
export const isTooLong = (text: string): boolean =>
  text.length > longestIni || text.split('\n', maxLines + 2).length > maxLines + 1;

class IniReader {
  readonly diagnostics: IniDiagnostic[] = [];
  readonly #head: IniRemark[] = [];
  readonly #sections: IniSection[] = [];
  readonly #firstLines = new Map<string, { readonly line: number; readonly keys: Map<string, number> }>();
  #lineNumber = 0;
  #characters = 0;
  #defaults = 0;
  #isOverLimit = false;
  #headIsReported = false;
  /** The entry that an indented line would continue. */
  #open: { readonly entry: IniEntry; readonly indent: number; hasDelimiter: boolean } | undefined;
  /** Lines below the open entry: part of it if its value continues, otherwise after it. */
  #pending: IniRemark[] = [];

  read(line: IniLine): void {
    this.#lineNumber += 1;
    this.#characters += line.text.length + line.end.length;
    if (this.#characters > longestIni) this.#exceed(line, `The file is longer than ${longestIni} characters.`);
    if (this.#lineNumber > maxLines) this.#exceed(line, `The file has more than ${maxLines} lines.`);
    if (this.#isOverLimit) {
      this.#remark('unreadable', line);
      return;
    }
    const body = line.text.trim();
    if (body === '') this.#remark('blank', line);
    else if (/^[#;]/.test(body)) this.#remark('comment', line);
    else if (this.#open !== undefined && indentOf(line.text).length > this.#open.indent) this.#continue(line, body);
    else {
      this.#closeEntry();
      if (body.startsWith('[')) this.#readHeader(line, body);
      else this.#readKey(line, body);
    }
  }

  document(): IniDocument {
    this.#closeEntry();
    return new IniDocument({ head: this.#head, sections: this.#sections });
  }

  #remark(kind: IniRemark['kind'], line: IniLine): void {
    const remark = { kind, line };
    if (this.#open !== undefined) this.#pending.push(remark);
    else (this.#sections.at(-1)?.items ?? this.#head).push(remark);
  }

  #unreadable(line: IniLine, code: IniDiagnostic['code'], message: string): void {
    this.#remark('unreadable', line);
    this.#report(line, code, message);
  }

  #exceed(line: IniLine, message: string): void {
    if (!this.#isOverLimit) this.#report(line, 'too_large', message);
    this.#isOverLimit = true;
  }

  #report(line: IniLine, code: IniDiagnostic['code'], message: string, names: { section?: string; key?: string } = {}) {
    if (this.diagnostics.length >= maxDiagnostics && code !== 'too_large') return;
    const column = indentOf(line.text).length + 1;
    this.diagnostics.push({ line: this.#lineNumber, column, code, message, ...names });
  }

  #closeEntry(): void {
    this.#open = undefined;
    const items = this.#sections.at(-1)?.items;
    for (const remark of this.#pending) items?.push(remark);
    this.#pending = [];
  }

  #continue(line: IniLine, body: string): void {
    const open = this.#open;
    if (open === undefined) return;
    const { entry } = open;
    if (!open.hasDelimiter) {
      open.hasDelimiter = true;
      this.#report(line, 'syntax', `The key '${entry.key}' above has no '=', so its value cannot continue here.`, {
        key: entry.key,
      });
    }
    for (const remark of this.#pending) {
      entry.lines.push({ role: remark.kind === 'comment' ? 'comment' : 'value', line: remark.line });
      if (remark.kind === 'blank') entry.written += '\n';
    }
    this.#pending = [];
    entry.lines.push({ role: 'value', line });
    entry.written += `\n${body}`;
  }

  #readHeader(line: IniLine, body: string): void {
    const name = header.exec(body)?.[1];
    if (name === undefined) {
      this.#unreadable(line, 'syntax', `A section must be '[name]' on a line of its own.`);
      return;
    }
    const first = this.#firstLines.get(name);
    if (this.#sections.length === maxSections) {
      this.#exceed(line, `The file has more than ${maxSections} sections.`);
      this.#remark('unreadable', line);
      return;
    }
    if (first === undefined) this.#firstLines.set(name, { line: this.#lineNumber, keys: new Map() });
    else
      this.#report(line, 'duplicate_section', `The section [${name}] exists already, in line ${first.line}.`, {
        section: name,
      });
    this.#sections.push({ name, header: line, items: [] });
  }

  #readKey(line: IniLine, body: string): void {
    const section = this.#sections.at(-1);
    if (section === undefined) {
      this.#remark('unreadable', line);
      if (!this.#headIsReported) this.#report(line, 'text_before_section', 'There is text before the first [section].');
      this.#headIsReported = true;
      return;
    }
    const at = body.search(/[=:]/);
    const key = (at < 0 ? body : body.slice(0, at)).trimEnd();
    if (key === '') {
      this.#unreadable(line, 'syntax', `There is no key before the '${body[at]}'.`);
      return;
    }
    if (section.name === defaultSection) this.#defaults += 1;
    if (this.#defaults > maxDefaults) {
      this.#exceed(line, `The section [${defaultSection}] has more than ${maxDefaults} keys.`);
      this.#remark('unreadable', line);
      return;
    }
    this.#noteKey(line, section.name, key);
    const written = at < 0 ? '' : body.slice(at + 1).trimStart();
    const entry: IniEntry = { kind: 'entry', key, written, lines: [{ role: 'key', line }] };
    section.items.push(entry);
    this.#open = { entry, indent: indentOf(line.text).length, hasDelimiter: at >= 0 };
  }

  #noteKey(line: IniLine, section: string, key: string): void {
    const keys = this.#firstLines.get(section)?.keys;
    const first = keys?.get(key);
    if (first === undefined) keys?.set(key, this.#lineNumber);
    else {
      const message = `The key '${key}' is in the section [${section}] already, in line ${first}.`;
      this.#report(line, 'duplicate_key', message, { section, key });
    }
  }
}
