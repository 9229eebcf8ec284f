type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end';

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;
const blanks = /[ \t\n\r]*/y;
const fourHexDigits = /[0-9a-fA-F]{4}/y;

const matchEnd = (pattern: RegExp, text: string, at: number): number | undefined => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
};

/** Where reading continues, or where it failed. */
type Step = { readonly next: number } | { readonly fault: number };

function readString(text: string, start: number): Step {
  let at = start + 1;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '"') return { next: at + 1 };
    if (char < ' ') return { fault: at };
    if (char !== '\\') {
      at += 1;
      continue;
    }
    const escaped = text.charAt(at + 1);
    if (escaped === 'u') {
      const end = matchEnd(fourHexDigits, text, at + 2);
      if (end === undefined) return { fault: at + 1 };
      at = end;
    } else if (escaped !== '' && '"\\/bfnrt'.includes(escaped)) at += 2;
    else return { fault: at + 1 };
  }
  return { fault: text.length };
}

function readScalar(text: string, at: number): Step {
  if (text.charAt(at) === '"') return readString(text, at);
  const next = matchEnd(number, text, at) ?? matchEnd(word, text, at);
  return next === undefined ? { fault: at } : { next };
}

/**
 * The offset (in UTF-16 units) of the first character at which `text` is not JSON, or undefined when it is. `JSON.parse` does not always
 * report the position; this function runs after it has rejected a text. It has its own stack, so that no nesting is too deep for it.
 */
export function jsonFaultOffset(text: string): number | undefined {
  const closers: ('}' | ']')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    at = matchEnd(blanks, text, at) ?? at;
    const char = text.charAt(at);
    const closer = closers.at(-1);
    if (expected === 'comma or end' && closer === undefined) return char === '' ? undefined : at;
    if (char === '') return at;

    if (expected === 'colon') {
      if (char !== ':') return at;
      expected = 'value';
      at += 1;
    } else if (expected === 'comma or end' && char === ',') {
      expected = closer === '}' ? 'key' : 'value';
      at += 1;
    } else if (expected !== 'value' && expected !== 'key' && char === closer) {
      closers.pop();
      expected = 'comma or end';
      at += 1;
    } else if (expected === 'comma or end') {
      return at;
    } else if (expected === 'key' || expected === 'key or }') {
      if (char !== '"') return at;
      const step = readString(text, at);
      if ('fault' in step) return step.fault;
      at = step.next;
      expected = 'colon';
    } else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      expected = char === '{' ? 'key or }' : 'value or ]';
      at += 1;
    } else {
      const step = readScalar(text, at);
      if ('fault' in step) return step.fault;
      at = step.next;
      expected = 'comma or end';
    }
  }
}

/** "line 2, column 5", both counted from 1. */
export function lineAndColumn(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return `line ${line}, column ${offset - start + 1}`;
}
