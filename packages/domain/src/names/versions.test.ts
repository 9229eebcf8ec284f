import { expect, it } from 'vitest';
import { compareVersions } from './versions.ts';

it.each([
  ['26.11.0', '26.11.0', 0],
  ['26.9.0', '26.11.0', -1],
  ['26.11.0-rc.1', '26.11.0', -1],
  ['26.11.0-rc.2', '26.11.0-rc.10', -1],
  ['26.11.0-rc.1', '26.11.0-dev.1', 1],
  ['26.11.0-rc', '26.11.0-rc.1', -1],
  ['27.1.0', '26.12.9', 1],
  ['1.2.0+5', '1.2.0+7', 0],
])('compares %s with %s', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
  expect(Math.sign(compareVersions(b, a))).toBe(sign === 0 ? 0 : -sign);
});
