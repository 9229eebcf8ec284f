import { parseIni } from '@lcs/contract/ini';
import { describe, expect, it } from 'vitest';
import { settingDiagnostics, textFaults } from './setting-diagnostics.ts';

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

describe('limits of a configuration file', () => {
  it.each([
    ['sections', lines(100_000, (index) => `[s${index}]`)],
    ['defaults', `[DEFAULT]\n${lines(101, (index) => `k${index}=`)}`],
    ['defaults in several sections', lines(101, (index) => `[DEFAULT]\nk${index}=`)],
    ['characters', `[a]\n${'# x\n'.repeat(40_000)}`],
    ['characters of one line', `[a]\nb=${'x'.repeat(200_000)}\n[c]\n`],
  ])('are a fault, and the text is kept byte for byte: %s', (_, text) => {
    const { document, diagnostics } = parseIni(text);
    expect(diagnostics.filter(({ code }) => code === 'too_large')).toHaveLength(1);
    expect(document.toString()).toBe(text);
    expect(textFaults(text).length).toBeLessThanOrEqual(201);
  });

  it('leave what people write', () => {
    const text = lines(300, (index) => `[s${index}]\n${lines(5, (key) => `key_${key}=some value`)}`);
    expect(textFaults(text)).toEqual([]);
  });

  it.each([
    ['spaces', `[a]\n${' '.repeat(100_000)}\n`],
    ['spaces before a key without value', `[a]\nb\n[c]\n${' '.repeat(50_000)}b${' '.repeat(50_000)}c`],
    ['spaces in an address', `[mqtt]\nbroker_address=a${' '.repeat(100_000)}b`],
    ['semicolons in an address', `[mqtt]\nbroker_address=a${' ;'.repeat(50_000)}b`],
    ['unknown keys', `[a]\n${lines(20_000, () => 'b=')}`],
    ['defaults of many sections', `[DEFAULT]\n${lines(100, (i) => `k${i}=1`)}\n${lines(299, (i) => `[s${i}]`)}`],
  ])('allow no text that a pattern or a look-up reads again for each of its parts: %s', (_, text) => {
    // 100,000 characters read 100,000 times take longer than a test may: no time of its own is asserted.
    textFaults(text);
    expect(settingDiagnostics(text).length).toBeLessThanOrEqual(400);
    expect(parseIni(text).document.toString()).toBe(text);
    parseIni(text).document.view();
  });

  it('report an error behind very many warnings', () => {
    const text = `[nobody]\n${lines(1, () => 'x=1')}\n${lines(250, (i) => `[n${i}]`)}\n[mqtt]\nbroker_port=many`;
    expect(settingDiagnostics(text)).toContainEqual(expect.objectContaining({ code: 'wrong_value', section: 'mqtt' }));
  });
});
