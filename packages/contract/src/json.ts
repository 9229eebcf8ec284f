/** Anything that JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Levels of lists and objects in a JSON text that anybody may send. Programs read values by recursion. */
export const deepestJson = 100;

/** Whether a JSON text is nested deeper than `deepestJson`. Linear, and without recursion. */
export function isNestedTooDeep(text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text[index]) {
      case '"':
        index = endOfString(text, index);
        break;
      case '[':
      case '{':
        depth += 1;
        if (depth > deepestJson) return true;
        break;
      case ']':
      case '}':
        depth -= 1;
        break;
    }
  }
  return false;
}

/** The index of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === '"') return index;
  }
  return text.length;
}
