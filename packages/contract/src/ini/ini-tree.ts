/** One line of the file, byte for byte: the file is the sequence of all texts and ends. */
export interface IniLine {
  readonly text: string;
  /** `\n`, `\r\n`, or nothing on the last line. */
  end: string;
}

/** A line without a value: blank, a comment, or an invalid one. */
export interface IniRemark {
  readonly kind: 'blank' | 'comment' | 'unreadable';
  readonly line: IniLine;
}

/** A key with its value; the value may continue in indented lines, with comments in between. */
export interface IniEntry {
  readonly kind: 'entry';
  readonly key: string;
  /** As written: the lines joined with a newline, `%%` not yet read as `%`. */
  written: string;
  lines: { readonly role: 'key' | 'value' | 'comment'; readonly line: IniLine }[];
}

export interface IniSection {
  readonly name: string;
  readonly header: IniLine;
  items: (IniEntry | IniRemark)[];
}

/** A file line by line, in its order. */
export interface IniTree {
  /** The lines before the first section. */
  readonly head: IniRemark[];
  readonly sections: IniSection[];
}

export function splitLines(text: string): IniLine[] {
  const lines = text.split('\n').map((line, index, all): IniLine => {
    if (index === all.length - 1) return { text: line, end: '' };
    return line.endsWith('\r') ? { text: line.slice(0, -1), end: '\r\n' } : { text: line, end: '\n' };
  });
  // Text after the last newline is a line only if it is not empty.
  if (lines.at(-1)?.text === '') lines.pop();
  return lines;
}

/** All lines of the file, in order. */
export function* linesOf(tree: IniTree): Generator<IniLine> {
  for (const remark of tree.head) yield remark.line;
  for (const section of tree.sections) {
    yield section.header;
    for (const item of section.items) {
      if (item.kind === 'entry') for (const { line } of item.lines) yield line;
      else yield item.line;
    }
  }
}

/** The white space before a line's first character. A line with more of it than its key's line continues the value. */
export const indentOf = (text: string) => text.slice(0, text.length - text.trimStart().length);
