import { describe, expect, it } from 'vitest';
import { MomentReader } from './moments.ts';

const at = Date.UTC(2024, 4, 2, 10, 17, 5);
const latest = Date.UTC(2025, 0, 1);
const read = (text: string) => new MomentReader(latest).read(text);

describe('MomentReader', () => {
  it.each([
    ['2024-05-02T10:17:05.123Z', at + 123],
    ['2024-05-02T10:17:05.123456Z', at + 123],
    ['2024-05-02T10:17:05.1Z', at + 100],
    ['2024-05-02T10:17:05Z', at],
    ['2024-05-02T10:17:05', at],
    ['2024-05-02 10:17:05.999999', at + 999],
    ['2024-05-02T10:17:05.5+00:00', at + 500],
    ['2024-05-02T12:17:05.250+02:00', at + 250],
    ['2024-05-02T06:47:05-0330', at],
  ])('reads %s', (text, moment) => {
    expect(read(text)).toBe(moment);
  });

  it.each([
    '',
    'yesterday',
    '2024-05-02',
    '2024-05-02T10:17',
    '2024-13-02T10:17:05Z',
    '2024-05-02T10:17:65Z',
    '2024-05-02T10:17:05.Z',
    '2024-05-02T10:17:05.123Zx',
    '2024-05-02T10:17:05+25',
    '1969-12-31T23:59:59Z',
    '2024-05-02T10:17:0a.1Z',
    '2025-01-01T00:00:00.001Z',
  ])('refuses %j', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it('keeps no minute of another text', () => {
    const reader = new MomentReader(latest);
    expect(reader.read('2024-05-02T10:17:05Z')).toBe(at);
    expect(reader.read('2024-15-02T10:17:05Z')).toBeUndefined();
    expect(reader.read('2024-05-02T10:18:05Z')).toBe(at + 60_000);
  });
});
