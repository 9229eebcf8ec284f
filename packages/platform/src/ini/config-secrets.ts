/** Values of these keys are secrets, in any section. */
const secretKey = /(?:^|_)(?:password|passphrase|api_?key|secret|token)$/i;

export const isSecretKey = (key: string): boolean => secretKey.test(key);

/** Shown to users in place of a secret. When it is saved, the stored value is kept. */
export const hiddenSecret = '********';

/** Of values that are stored encrypted. */
export const encryptedPrefix = 'encrypted:';

/** A secret in a text: its lines and its name, which identifies the same secret in another text. */
interface Secret {
  readonly name: string;
  /** Index of its first line. */
  readonly line: number;
  /** The number of its lines: a value continues in lines that are indented further. */
  readonly lines: number;
  /** The first line up to the value. */
  readonly before: string;
  /** The rest of its lines, without the line end of the last one. */
  readonly value: string;
  readonly end: '\r' | '';
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
const isComment = (body: string): boolean => body.startsWith('#') || body.startsWith(';');

/** Lines that continue the value above; a blank line does only if an indented one follows. */
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

/** The secrets of a configuration file, including those in comments, even if the rest of the file is invalid. */
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

/** The text with its secrets replaced. */
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

/** A configuration file as users may see it. */
export const withHiddenSecrets = (text: string): string => rewritten(text, () => hiddenSecret);

/** The text with empty values in place of secrets that are not encrypted, in comments too. */
export const withoutPlainSecrets = (text: string): string =>
  rewritten(text, ({ value }) => (value.startsWith(encryptedPrefix) ? value : ''));

/** A text that a user has edited, with its hidden secrets restored from the stored text. */
export function withKeptSecrets(text: string, present: string): string {
  const kept = new Map([...secretsIn(present.split('\n'))].map(({ name, value }) => [name, value]));
  return rewritten(text, ({ name, value }) =>
    value.trim() === hiddenSecret ? (kept.get(name) ?? hiddenSecret) : value,
  );
}

/** The line, from 1, of a hidden secret without a stored value. */
export function lineOfLostSecret(text: string): number | undefined {
  for (const { value, line } of secretsIn(text.split('\n'))) if (value.trim() === hiddenSecret) return line + 1;
  return undefined;
}
