import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { expect, it } from 'vitest';
import { literalTexts, visibleTexts } from '../testing/visible-texts.ts';

const root = `${import.meta.dirname}/..`;
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll(sep, '/'))
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|\.d\.ts$|^testing\//.test(path))
  .map((path) => ({ path, folder: path.split('/')[0] ?? '', source: readFileSync(`${root}/${path}`, 'utf8') }));
const catalogue = files.filter(({ folder }) => folder === 'words');
const others = files.filter(({ folder }) => folder !== 'words');

/** Literals that look like words and are none: selectors, and the tags that keep a design. */
const notRead: readonly string[] = [
  '[data-acts] button:not(:disabled)',
  'tbody input[type="checkbox"]',
  'organism: …',
  'media: …',
];
/** Markup, keys of the query cache, and the text of an empty profile. */
const filesWithoutTexts = ['charts/chart-svg.ts', 'api/query-keys.ts', 'protocols/editor-search.ts'];

it('what people read is in the catalogue', () => {
  const outside = others
    .filter(({ path }) => !filesWithoutTexts.includes(path))
    .flatMap(({ path, source }) =>
      visibleTexts(path, source).map(({ line, text }) => ({ at: `${path}:${line}`, text })),
    )
    .filter(({ text }) => !notRead.includes(text));
  expect(outside).toEqual([]);
});

it('finds texts of elements, attributes, sentences, labels and templates, and no codes', () => {
  const source = `
    import a from 'Some module';
    type State = 'not read';
    const View = ({ on, x }) => (
      <p className="page-link in-text" title={on ? 'seconds' : undefined} data-kind="x">
        Stop now
        <b aria-label="close" d="M1 2 H3">{on === 'Also not' ? 'Stop' : \`\${x} mL\`}</b>
      </p>
    );
    const sentence = 'no data yet';
    const template = (x) => \`about \${x} left\`;
    const facts = [{ name: 'Disk', detail: 'external' }, { name: 'media_pump' }, [['old'], someWords.aged, 'aged']];
    const path = (x) => \`/units/\${x} y\`;
    throw new Error('Nobody reads this');
  `;
  expect(visibleTexts('view.tsx', source).map(({ text }) => text)).toEqual([
    ...['seconds', 'Stop now', 'close', 'Stop', 'no data yet', 'about … left', 'Disk', 'external', 'aged'],
  ]);
});

/** American spellings of words that occur in such a program. */
const american =
  /\b(colors?|colored|gray|centers?|centered|liters?|milliliters?|meters?|fibers?|behaviors?|favorites?|analyz\w+|catalogs?|dialogs|canceled|canceling|labeled|labeling|modeled|signaled|leveled|enrolls?|enrollment|fulfill|defense|judgment|aluminum|sulfur|(?!siz|resiz|priz|seiz)\w+iz(e|es|ed|ing|er|ers|ation|ations))\b/i;

it('has British spelling', () => {
  const texts = catalogue.flatMap(({ path, source }) => literalTexts(path, source));
  // The name of a header of HTTP.
  const inEnglish = texts.map((text) => text.replace('“Authorization:', ''));
  expect(inEnglish.filter((text) => american.test(text))).toEqual([]);
});

it('has American spellings to find', () => {
  const found = ['Normalized OD', 'the color of it', 'Recognizes it', '2 liters', 'Normalised size', 'resizes'].filter(
    (text) => american.test(text),
  );
  expect(found).toEqual(['Normalized OD', 'the color of it', 'Recognizes it', '2 liters']);
});

it('has no word that nothing shows', () => {
  const used = new Set(others.flatMap(({ source }) => source.match(/\b\w+Words\.\w+/g) ?? []));
  const unused = catalogue.flatMap(({ source }) => {
    const [, name = ''] = /export const (\w+Words) = /.exec(source) ?? [];
    const keys = [...source.matchAll(/^ {2}(\w+):/gm)].map(([, key]) => `${name}.${key}`);
    return keys.filter((key) => !used.has(key));
  });
  expect(unused).toEqual([]);
});
