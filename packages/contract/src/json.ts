/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Whether a value is an object and not a list. */
export function isObject(value: Json | undefined): value is { readonly [key: string]: Json };
export function isObject(value: unknown): value is Readonly<Record<string, unknown>>;
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Levels of lists and objects in a JSON text that anybody may send. Programs read values by recursion. */
export const deepestJson = 100;

/** Values of a JSON text, the names of fields not counted: 2 MiB of `{}` take 0.2 s to parse, so many some milliseconds. */
export const mostJsonValues = 10_000;

/** Why a JSON text must not be parsed: it is nested too deeply, or has too many values. Linear, without recursion. */
export function jsonLimitFault(text: string): string | undefined {
  let depth = 0;
  let values = 1;
  for (let index = 0; index < text.length; index += 1) {
    switch (text[index]) {
      case '"':
        index = endOfString(text, index);
        break;
      case ',':
        values += 1;
        break;
      case '[':
      case '{':
        depth += 1;
        values += 1;
        if (depth > deepestJson) return `it is nested deeper than ${deepestJson} levels`;
        break;
      case ']':
      case '}':
        depth -= 1;
        break;
    }
    if (values > mostJsonValues) return `it has more than ${mostJsonValues} values`;
  }
  return undefined;
}

/** The index of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === '"') return index;
  }
  return text.length;
}
