import type { LogDestination } from './create-log.ts';

export interface PrettyOptions {
  /** Whether the terminal shows colours. Default false. */
  readonly colour?: boolean;
}

const colours: Readonly<Record<string, string>> = { debug: '90', info: '32', warn: '33', error: '31' };

/**
 * Turns the JSON lines of the log into lines for users: time (UTC), level, message, `key=value`; the stack of an error
 * follows indented. What is not a JSON line passes unchanged.
 */
export function prettyDestination(out: LogDestination, options: PrettyOptions = {}): LogDestination {
  return { write: (line) => out.write(prettyLine(line, options.colour ?? false)) };
}

function prettyLine(line: string, colour: boolean): string {
  const record = recordOf(line);
  if (record === undefined) return line;
  const { time, level, message, error, ...fields } = record;
  const label = String(level);
  const paint = colour ? colours[label] : undefined;
  const word = label.toUpperCase().padEnd(5);
  const parts = [
    String(time),
    paint === undefined ? word : `\u001b[${paint}m${word}\u001b[0m`,
    printable(String(message)),
  ];
  for (const [key, value] of Object.entries(fields)) parts.push(`${printable(key)}=${shown(value)}`);
  return `${parts.join(' ')}\n${errorLines(error)}`;
}

function recordOf(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function shown(value: unknown): string {
  if (typeof value === 'string' && /^[\w.:/@+-]+$/.test(value)) return value;
  return printable(JSON.stringify(value));
}

/** The stack when there is one (its first line has the message), each line below the log line it belongs to. */
function errorLines(error: unknown): string {
  if (error === undefined) return '';
  if (typeof error !== 'object' || error === null || !('stack' in error) || typeof error.stack !== 'string') {
    return `    error=${shown(error)}\n`;
  }
  const lines = error.stack.split('\n').map((line) => `    ${printable(line)}\n`);
  const rest = Object.entries(error).filter(([key]) => !partsOfStack.has(key));
  if (rest.length > 0) lines.push(`    ${shown(Object.fromEntries(rest))}\n`);
  return lines.join('');
}

const partsOfStack = new Set(['type', 'message', 'stack']);

/** A logged text may come from outside; it must not move the cursor of the terminal or imitate another line. */
const printable = (text: string) =>
  text.replace(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
