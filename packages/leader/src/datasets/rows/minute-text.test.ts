import { describe, expect, it } from 'vitest';
import { localText, timestampParser, utcText } from './minute-text.ts';

describe('moments', () => {
  it('are instants in UTC', () => {
    const text = utcText();
    const moments = [
      0,
      59_999,
      60_000,
      -1,
      Date.UTC(2026, 4, 2, 9, 14, 3, 120),
      1,
      Date.UTC(2028, 1, 29, 23, 59, 59, 999),
    ];
    expect(moments.map((ms) => text.of(ms))).toEqual(moments.map((ms) => new Date(ms).toISOString()));
  });

  it('are read from their text, whatever came before', () => {
    const read = timestampParser();
    const texts = [
      '2026-05-02T09:14:03.120Z',
      '2026-05-02T09:14:59.999Z',
      '2026-05-02T09:15:00.000Z',
      '2026-05-02T09:14:00.001Z',
      '1969-12-31T23:59:59.999Z',
      '2026-05-02T09:14:03Z',
      '2026-05-02T11:14:03.120+02:00',
      '2026-05-02T09:14:03.120Z',
    ];
    expect(texts.map(read)).toEqual(texts.map((text) => Date.parse(text)));
    expect(read('2026-99-02T09:14:03.120Z')).toBeNaN();
    expect(read('soon')).toBeNaN();
    expect(read('2026-05-02T09:14:03.120Z')).toBe(Date.UTC(2026, 4, 2, 9, 14, 3, 120));
  });

  it('are formatted in a zone, through the change to and from summer time', () => {
    const text = localText('Europe/Berlin');
    expect(
      [
        Date.UTC(2026, 2, 29, 0, 59, 59, 999),
        Date.UTC(2026, 2, 29, 1, 0, 0, 0),
        Date.UTC(2026, 9, 25, 0, 59, 59, 1),
        Date.UTC(2026, 9, 25, 1, 0, 0, 0),
        Date.UTC(2026, 0, 1, 23, 0, 0, 0),
      ].map((ms) => text.of(ms)),
    ).toEqual([
      '2026-03-29 01:59:59.999',
      '2026-03-29 03:00:00.000',
      '2026-10-25 02:59:59.001',
      '2026-10-25 02:00:00.000',
      '2026-01-02 00:00:00.000',
    ]);
    expect(localText('Asia/Kathmandu').of(Date.UTC(2026, 0, 1, 0, 0, 5, 7))).toBe('2026-01-01 05:45:05.007');
  });
});
