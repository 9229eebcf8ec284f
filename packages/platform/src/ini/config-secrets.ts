/** Values of these keys are secrets, in any section. */
const secretKey = /(?:^|_)(?:password|passphrase|api_?key|secret|token)$/i;

export const isSecretKey = (key: string): boolean => secretKey.test(key);

/** What people see in place of a secret. Saved again, it stands for the value that is there. */
export const hiddenSecret = '********';

/** A secret in a text: its lines, and what a text with the same secret calls it. */
interface Secret {
  readonly name: string;
  /** Index of its first line. */
  readonly line: number;
  /** How many lines: a value goes on in lines that are indented further. */
  readonly lines: number;
  /** The first line up to its value. */
  readonly before: string;
  /** The rest of its lines, without the end of the last one. */
  readonly value: string;
  readonly end: '\r' | '';
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
const isComment = (body: string): boolean => body.startsWith('#') || body.startsWith(';');

/** Lines that go on with the value above: blank ones only where an indented one follows. */
function continuedTo(lines: readonly string[], first: number, indent: number): number {
  let end = first + 1;
  for (let index = first + 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line.trim() === '') continue;
    if (indentOf(line) <= indent) break;
    end = index + 1;
  }
  return end;
}

/** The secrets of a configuration file, those in comments too, whether or not the rest of it can be read. */
function* secretsIn(lines: readonly string[]): Generator<Secret> {
  let section = '';
  const counts = new Map<string, number>();
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const body = line.trim();
    if (body.startsWith('[')) section = body;
    const delimiter = line.search(/[=:]/);
    if (delimiter < 0) continue;
    const key = line
      .slice(0, delimiter)
      .trim()
      .replace(/^[#;]+\s*/, '');
    const rest = line.slice(delimiter + 1);
    const value = rest.trimStart();
    const end = isComment(body) ? index + 1 : continuedTo(lines, index, indentOf(line));
    if (!isSecretKey(key) || (value.trim() === '' && end === index + 1)) continue;
    const number = counts.get(`${section}\n${key}`) ?? 0;
    counts.set(`${section}\n${key}`, number + 1);
    const whole = [value, ...lines.slice(index + 1, end)].join('\n');
    const isCrLf = whole.endsWith('\r');
    yield {
      name: `${section}\n${key}\n${number}`,
      line: index,
      lines: end - index,
      before: line.slice(0, line.length - value.length),
      value: isCrLf ? whole.slice(0, -1) : whole,
      end: isCrLf ? '\r' : '',
    };
    index = end - 1;
  }
}

/** The text with other values of its secrets. */
function rewritten(text: string, shown: (secret: Secret) => string): string {
  const lines = text.split('\n');
  const written: string[] = [];
  let next = 0;
  for (const secret of secretsIn(lines)) {
    written.push(...lines.slice(next, secret.line), `${secret.before}${shown(secret)}${secret.end}`);
    next = secret.line + secret.lines;
  }
  return [...written, ...lines.slice(next)].join('\n');
}

/** A configuration file as people may see it. */
export const withHiddenSecrets = (text: string): string => rewritten(text, () => hiddenSecret);

/** A text that people have edited, with the secrets that they did not see taken from the text that is there. */
export function withKeptSecrets(text: string, present: string): string {
  const kept = new Map([...secretsIn(present.split('\n'))].map(({ name, value }) => [name, value]));
  return rewritten(text, ({ name, value }) =>
    value.trim() === hiddenSecret ? (kept.get(name) ?? hiddenSecret) : value,
  );
}

/** The line, from 1, of a secret that stands for a value which is not there. */
export function lineOfLostSecret(text: string): number | undefined {
  for (const { value, line } of secretsIn(text.split('\n'))) if (value.trim() === hiddenSecret) return line + 1;
  return undefined;
}
