import { entryTexts, headerText, readPercents, writePercents } from './ini-text.ts';
import {
  type IniEntry,
  type IniLine,
  type IniRemark,
  type IniSection,
  type IniTree,
  indentOf,
  linesOf,
} from './ini-tree.ts';
import { defaultSection, type IniLayer, type IniView, viewOf } from './ini-view.ts';

/**
 * A configuration file that users edit by hand. Unchanged parts keep every byte: comments, order, spaces, line ends. Created by `parseIni`.
 */
export class IniDocument {
  readonly #tree: IniTree;

  constructor(tree: IniTree) {
    this.#tree = tree;
  }

  /** The names of the sections in the order of the file, without `DEFAULT`. */
  sections(): readonly string[] {
    const names = new Set(this.#tree.sections.map(({ name }) => name));
    names.delete(defaultSection);
    return [...names];
  }

  /**
   * The value of a key, or its default from `[DEFAULT]`; '' for a key without value. `undefined` when the section or the key does not
   * exist.
   */
  get(section: string, key: string): string | undefined {
    const sections = this.#sectionsNamed(section);
    if (sections.length === 0) return undefined;
    const entry = this.#find(section, key) ?? this.#find(defaultSection, key);
    return entry && readPercents(entry.written);
  }

  /** All values of the file, with `[DEFAULT]` merged into each section. */
  view(): IniView {
    return viewOf([this.layer()]);
  }

  /** The values of each section itself; the input of `overlay`. */
  layer(): IniLayer {
    const layer = new Map<string, Map<string, string>>();
    for (const { name, items } of this.#tree.sections) {
      const values = layer.get(name) ?? new Map<string, string>();
      for (const item of items) if (item.kind === 'entry') values.set(item.key, readPercents(item.written));
      layer.set(name, values);
    }
    return layer;
  }

  /**
   * Sets a value and adds key and section where they are missing: a new key after the last one of its section, a new section at the end of
   * the file. A key that already has this value keeps its spelling. Throws IniUnwritable.
   */
  set(section: string, key: string, value: string): void {
    const entry = this.#find(section, key);
    if (entry !== undefined && readPercents(entry.written) === value) return;
    const target = this.#sectionsNamed(section).at(-1);
    if (entry !== undefined) this.#edit((line) => rewrite(entry, value, line));
    else if (target !== undefined) this.#edit((line) => this.#insert(target, key, value, line));
    else this.#edit((line) => this.#append(section, key, value, line));
  }

  /** Removes a key with all its repetitions from its section; false when there is none. Comments remain. */
  remove(section: string, key: string): boolean {
    let isFound = false;
    for (const target of this.#sectionsNamed(section)) {
      target.items = target.items.flatMap((item) => {
        if (item.kind !== 'entry' || item.key !== key) return [item];
        isFound = true;
        return item.lines.flatMap(({ role, line }): IniRemark[] =>
          role === 'comment' ? [{ kind: 'comment', line }] : [],
        );
      });
    }
    return isFound;
  }

  toString(): string {
    let text = '';
    for (const line of linesOf(this.#tree)) text += line.text + line.end;
    return text;
  }

  #sectionsNamed(name: string): IniSection[] {
    return this.#tree.sections.filter((section) => section.name === name);
  }

  /** The effective entry: the last one. */
  #find(section: string, key: string): IniEntry | undefined {
    return this.#sectionsNamed(section)
      .flatMap(({ items }) => items)
      .findLast((item): item is IniEntry => item.kind === 'entry' && item.key === key);
  }

  /** Makes a change whose new lines end like the others; a file without a final newline remains so. */
  #edit(change: (newLine: (text: string) => IniLine) => void): void {
    const before = [...linesOf(this.#tree)];
    const end = before[0]?.end || '\n';
    const isOpen = before.at(-1)?.end === '';
    const added = new Set<IniLine>();
    change((text) => {
      const line = { text, end };
      added.add(line);
      return line;
    });
    const after = [...linesOf(this.#tree)];
    for (const line of after.slice(0, -1)) if (line.end === '') line.end = end;
    const last = after.at(-1);
    if (isOpen && last !== undefined && added.has(last)) last.end = '';
  }

  #insert(section: IniSection, key: string, value: string, newLine: (text: string) => IniLine): void {
    const at = section.items.findLastIndex((item) => item.kind === 'entry') + 1;
    const entry = newEntry(this.#indentIn(section), key, value, newLine);
    section.items.splice(at, 0, entry);
  }

  /**
   * The indentation of a new key: that of the last key, or of the line that follows. A line that is indented further than the key above it
   * would be read as part of its value.
   */
  #indentIn(section: IniSection): string {
    const last = section.items.findLast((item): item is IniEntry => item.kind === 'entry');
    if (last !== undefined) return indentOfEntry(last);
    const unreadable = section.items.find((item): item is IniRemark => item.kind === 'unreadable');
    const next = unreadable?.line ?? this.#tree.sections[this.#tree.sections.indexOf(section) + 1]?.header;
    return next === undefined ? '' : indentOf(next.text);
  }

  #append(name: string, key: string, value: string, newLine: (text: string) => IniLine): void {
    const header = headerText(name);
    const entry = newEntry('', key, value, newLine);
    const lastLine = [...linesOf(this.#tree)].at(-1);
    const lastItems = this.#tree.sections.at(-1)?.items ?? this.#tree.head;
    const needsBlank = lastLine !== undefined && lastLine.text.trim() !== '';
    if (needsBlank) lastItems.push({ kind: 'blank', line: newLine('') });
    this.#tree.sections.push({ name, header: newLine(header), items: [entry] });
  }
}

const indentOfEntry = (entry: IniEntry) => indentOf(entry.lines[0]?.line.text ?? '');

function newEntry(indent: string, key: string, value: string, newLine: (text: string) => IniLine): IniEntry {
  const entry: IniEntry = { kind: 'entry', key, written: '', lines: [] };
  fill(entry, indent, value, newLine);
  return entry;
}

function rewrite(entry: IniEntry, value: string, newLine: (text: string) => IniLine): void {
  const comments = entry.lines.filter(({ role }) => role === 'comment');
  fill(entry, indentOfEntry(entry), value, newLine);
  entry.lines.push(...comments);
}

function fill(entry: IniEntry, indent: string, value: string, newLine: (text: string) => IniLine): void {
  const [keyText, ...valueTexts] = entryTexts(indent, entry.key, value);
  entry.written = writePercents(value);
  entry.lines = [
    { role: 'key', line: newLine(keyText) },
    ...valueTexts.map((text) => ({ role: 'value' as const, line: newLine(text) })),
  ];
}
