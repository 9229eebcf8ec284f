import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import type { DataRow } from '../datasets/rows/row-source.ts';
import { CsvFile } from './csv-file.ts';
import { formatReal } from './csv-text.ts';

describe('reals', () => {
  it.each([
    [500, '500.0'],
    [0, '0.0'],
    [-0, '0.0'],
    [-2, '-2.0'],
    [0.1, '0.1'],
    [0.021, '0.021'],
    [1 / 3, '0.333333333333'],
    [-1 / 3, '-0.333333333333'],
    [0.043_123_456_789_012_34, '0.043123456789'],
    [1e-7, '0.0000001'],
    [4e-13, '0.0'],
    [-4e-13, '0.0'],
    [0.999_999_999_999_9, '1.0'],
    [999.999_999_999_999_5, '1000.0'],
    [123_456.789, '123456.789'],
    [1_234_567.123_456_789, '1234567.123456789'],
    [2_800_000, '2800000.0'],
    [1e21, '1e+21'],
    [Number.NaN, ''],
  ])('%s is written as %s', (value, text) => {
    expect(formatReal(value)).toBe(text);
  });

  it('are, as text, the number rounded to twelve decimals with a decimal', () => {
    let state = 7;
    for (let index = 0; index < 20_000; index += 1) {
      state = (state * 48_271) % 2_147_483_647;
      const value = (state / 2_147_483_647 - 0.5) * 10 ** (index % 9);
      const text = formatReal(value);
      expect(Number(text)).toBe(Number(value.toFixed(12)));
      expect(text).toMatch(/^-?\d+\.\d{1,12}$/);
    }
  });
});

/** What a reader does that wants the text as it was. */
const withoutApostrophe = (text: string): string => (/^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text);

describe('a CSV file', () => {
  const columns = [
    { name: 'experiment', kind: 'text' },
    { name: 'n, of all', kind: 'integer' },
    { name: 'value', kind: 'real' },
    { name: 'any', kind: 'any' },
  ] as const;

  const textOf = (rows: readonly DataRow[]): string => {
    const file = new CsvFile({ columns, timestamps: new Set() });
    let text = '';
    for (const row of rows) if (file.add(row)) text += Buffer.from(file.take()).toString('utf8');
    return text + Buffer.from(file.finish()).toString('utf8');
  };

  it('has its bytes as they are written down', () => {
    const text = textOf([
      ['exp 1', 3n, 500, 7n],
      ['say "hi", now', 4, 0.5, 2.5],
      ['a\r\nb', null, null, null],
      ['Größe µ', 5, 0.1, 'a,b'],
    ]);
    expect(text).toBe(
      'experiment,"n, of all",value,any\r\n' +
        'exp 1,3,500.0,7\r\n' +
        '"say ""hi"", now",4,0.5,2.5\r\n' +
        '"a\r\nb",,,\r\n' +
        'Größe µ,5,0.1,"a,b"\r\n',
    );
  });

  it('is read by others as what it was, however long it is', () => {
    const texts = [
      'plain',
      ' space ',
      'quote "',
      'comma, ',
      'line\nbreak',
      'cr\rhere',
      '"',
      '""',
      "'",
      '\t',
      '0123',
      'ü,"\n',
    ];
    const rows = Array.from({ length: 5_000 }, (_, index): [string, number, number, null] => [
      texts[index % texts.length] ?? '',
      index,
      index / 7,
      null,
    ]);
    const fields: string[][] = parse(textOf(rows), { columns: false, from: 2, recordDelimiter: '\r\n' });
    const read = fields.map(([text, ...others]) => [withoutApostrophe(text ?? ''), ...others]);
    expect(read).toEqual(rows.map(([text, integer, real]) => [text, String(integer), formatReal(real), '']));
  });

  it.each([
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['+cmd|calc', `'+cmd|calc`],
    ['-70 °C', `'-70 °C`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['\t=1', `'\t=1`],
    ['\r=1', `"'\r=1"`],
    ["'=1", `''=1`],
    ["'quoted'", "'quoted'"],
    ['-1.5', '-1.5'],
    ['+2e-3', '+2e-3'],
    ['a=b', 'a=b'],
  ])('has no text that a spreadsheet reads as a formula: %j', (written, field) => {
    const text = textOf([[written, 1n, -0.5, written]]);
    expect(text.split('\r\n').slice(1).join('\r\n')).toBe(`${field},1,-0.5,${field}\r\n`);
    const [[first, , real] = []]: string[][] = parse(text, { columns: false, from: 2, recordDelimiter: '\r\n' });
    expect([withoutApostrophe(first ?? ''), real]).toEqual([written, '-0.5']);
  });
});
