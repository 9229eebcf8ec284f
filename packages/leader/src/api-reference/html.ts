/** Text that is HTML already. Only `html` and `rawHtml` create it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeText = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? char);

/** The values of a template; undefined becomes an empty text. */
export type HtmlPart = Html | string | number | undefined | readonly HtmlPart[];

function render(part: HtmlPart): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  return typeof part === 'object' ? part.map(render).join('') : escapeText(String(part));
}

/** A template whose values are escaped, unless they are HTML. */
export function html(texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(texts.map((text, index) => text + render(parts[index])).join(''));
}

/** Uses a text as HTML without escaping: only for constants of the program, never for input. */
export const rawHtml = (text: string): Html => new Html(text);
