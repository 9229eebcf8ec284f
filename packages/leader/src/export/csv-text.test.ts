import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import type { DataRow } from '../datasets/rows/row-source.ts';
import { CsvFile } from './csv-file.ts';
import { realText } from './csv-text.ts';

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
    expect(realText(value)).toBe(text);
  });

  it('are, as text, the number rounded to twelve decimals with a decimal', () => {
    let state = 7;
    for (let index = 0; index < 20_000; index += 1) {
      state = (state * 48_271) % 2_147_483_647;
      const value = (state / 2_147_483_647 - 0.5) * 10 ** (index % 9);
      const text = realText(value);
      expect(Number(text)).toBe(Number(value.toFixed(12)));
      expect(text).toMatch(/^-?\d+\.\d{1,12}$/);
    }
  });
});

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
    const read: unknown = parse(textOf(rows), { columns: false, from: 2, recordDelimiter: '\r\n' });
    expect(read).toEqual(rows.map(([text, integer, real]) => [text, String(integer), realText(real), '']));
  });
});
