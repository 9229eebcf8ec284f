import { errorTable } from '@lcs/contract';
import { page, table } from './markdown.ts';

/** Stands for a value that is known only when an error occurs; its text is its name in braces. */
function placeholder(name: string): object {
  const text = `{${name}}`;
  const known: Readonly<Record<string | symbol, unknown>> = {
    [Symbol.toPrimitive]: () => text,
    toString: () => text,
    toFixed: () => text,
    join: () => text,
    map: (make: (value: unknown) => unknown) => [make(placeholder(name))],
    length: 1,
  };
  return new Proxy(known, { get: (target, key) => target[key] ?? placeholder(String(key)) });
}

const textOf = (value: unknown): string => String(value ?? '').replaceAll('NaN', '{n}');

/** The table of errors. */
export function errorsPage(): string {
  const sections = Object.entries(errorTable).map(([code, definition]) => {
    const text: unknown = Reflect.apply(definition.text, undefined, [placeholder('params')]);
    const field = (name: string): string =>
      typeof text === 'object' && text !== null ? textOf(Reflect.get(text, name)) : '';
    const rows = [
      ['status', String(definition.status)],
      ['error', field('error')],
      ...(field('cause') === '' ? [] : [['cause', field('cause')]]),
      ['remediation', field('remediation')],
    ];
    return `## ${code}\n\n${table(['', ''], rows)}`;
  });
  const note = 'Codes are stable; the texts may improve. Words in braces are filled in when the error occurs.';
  return page('Errors', '`packages/contract` (`src/errors`)', [note, ...sections]);
}
