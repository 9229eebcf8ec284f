/** A step from the root of a document to a value: a key of a mapping, or an item of a list with its `type` where it is known. */
export type YamlStep =
  | { readonly is: 'key'; readonly name: string }
  | { readonly is: 'item'; readonly type: string | undefined };

/** Where text is being entered. */
export interface YamlPlace {
  /** To the mapping, or to the value that is entered. */
  readonly path: readonly YamlStep[];
  readonly entering: 'key' | 'value';
  /** The part of the key or value before the caret. */
  readonly entered: string;
  /** Keys before the caret of the mapping in which a key is entered. */
  readonly taken: ReadonlySet<string>;
}

interface Line {
  /** Columns of the dashes of list items. */
  readonly dashes: readonly number[];
  /** Column of what follows the spaces and dashes. */
  readonly column: number;
  readonly content: string;
}

function lineOf(text: string): Line {
  const [, indent = '', markers = '', content = ''] = /^( *)((?:- +)*)(.*)$/.exec(text) ?? [];
  const dashes = [...markers].flatMap((char, at) => (char === '-' ? [indent.length + at] : []));
  return { dashes, column: indent.length + markers.length, content };
}

/** The key and the value of a line or of an entry between braces. */
function entryOf(content: string): readonly [key: string, value: string] | undefined {
  const [, key, value = ''] = /^\s*["']?([\w$-][\w $.-]*?)["']?\s*:(?:\s+(.*))?$/.exec(content) ?? [];
  return key === undefined ? undefined : [key, value];
}

const wordOf = (value: string): string => value.replace(/^["']|["']$/g, '').trim();

/** The mappings and lists in braces and brackets that are open at the end of a line. */
interface Frame {
  readonly open: string;
  readonly entries: Map<string, string>;
  /** The entry that has begun. */
  text: string;
}

const closing = new Set(['}', ']']);

function openFrames(text: string): readonly Frame[] {
  const frames: Frame[] = [];
  let quote: string | undefined;
  for (const char of text) {
    const frame = frames.at(-1);
    if (quote === undefined && (char === '{' || char === '[')) {
      frames.push({ open: char, entries: new Map(), text: '' });
      continue;
    }
    if (frame === undefined) continue;
    if (quote === undefined && closing.has(char)) frames.pop();
    else if (quote === undefined && char === ',') {
      const [key, value] = entryOf(frame.text) ?? [];
      if (key !== undefined) frame.entries.set(key, value ?? '');
      frame.text = '';
    } else {
      if (char === quote) quote = undefined;
      else if (quote === undefined && (char === '"' || char === "'")) quote = char;
      frame.text += char;
    }
  }
  return frames;
}

const keyStep = (name: string): YamlStep => ({ is: 'key', name });
const itemStep = (entries: ReadonlyMap<string, string>): YamlStep => {
  const type = entries.get('type');
  return { is: 'item', type: type === undefined ? undefined : wordOf(type) };
};

/** Walks from a line to the root, and collects the steps on its way, the last one first. */
class Ascent {
  readonly steps: YamlStep[] = [];
  #entries = new Map<string, string>();
  #column: number;
  #isList = false;
  /** Keys beside the first line. */
  readonly siblings = this.#entries;

  constructor({ column, dashes }: Line) {
    this.#column = column;
    this.#leaveItems(dashes);
  }

  #leaveItems(dashes: readonly number[]): void {
    for (const dash of [...dashes].reverse()) {
      this.steps.push(itemStep(this.#entries));
      this.#entries = new Map();
      this.#column = dash;
      this.#isList = true;
    }
  }

  above({ column, dashes, content }: Line): void {
    const entry = entryOf(content);
    const isBeside = !this.#isList && column === this.#column;
    if (isBeside && entry) this.#entries.set(...entry);
    if (isBeside) {
      this.#leaveItems(dashes);
      return;
    }
    if (!(column < this.#column || (this.#isList && column === this.#column)) || entry === undefined) return;
    this.steps.push(keyStep(entry[0]));
    this.#entries = new Map([entry]);
    this.#column = column;
    this.#isList = false;
    this.#leaveItems(dashes);
  }
}

/** The steps to the mapping that contains the end of the last line, and the keys above it. */
function blockPath(lines: readonly string[], last: Line) {
  const ascent = new Ascent(last);
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const text = lines[at] ?? '';
    if (text.trim() !== '' && !text.trimStart().startsWith('#')) ascent.above(lineOf(text));
  }
  return { path: ascent.steps.reverse(), taken: new Set(ascent.siblings.keys()) };
}

/** The steps inside braces, from the value in which the first one was opened. */
function flowPlace(outer: readonly YamlStep[], frames: readonly Frame[]): YamlPlace {
  const path = [...outer];
  for (const [at, frame] of frames.entries()) {
    const isLast = at === frames.length - 1;
    const [key, value] = entryOf(frame.text.trimStart()) ?? [];
    const before = path.at(-1);
    if (before?.is === 'item' && before.type === undefined) path[path.length - 1] = itemStep(frame.entries);
    if (frame.open === '[') path.push({ is: 'item', type: undefined });
    else if (key !== undefined) path.push(keyStep(key));
    if (!isLast) continue;
    const entering = frame.open === '{' && key === undefined ? 'key' : 'value';
    const entered = (key === undefined ? frame.text : (value ?? '')).trimStart();
    return { path, entering, entered, taken: new Set(frame.entries.keys()) };
  }
  return { path, entering: 'value', entered: '', taken: new Set() };
}

/**
 * Where in a YAML document the end of `text` is. Mappings and lists over several lines in braces are read as if each line
 * stood alone.
 */
export function yamlPlace(text: string): YamlPlace {
  const lines = text.split('\n');
  const current = lines.pop() ?? '';
  const flowAt = /[{[]/.exec(current)?.index;
  const frames = openFrames(current);
  const last = lineOf(frames.length > 0 && flowAt !== undefined ? current.slice(0, flowAt) : current);
  const { path, taken } = blockPath(lines, last);
  const entry = entryOf(last.content);
  const outer = entry === undefined ? path : [...path, keyStep(entry[0])];
  if (frames.length > 0) return flowPlace(outer, frames);
  if (entry === undefined) return { path, entering: 'key', entered: last.content, taken };
  return { path: outer, entering: 'value', entered: entry[1], taken };
}
