import { expect, it } from 'vitest';
import { unitColours, unitStyle } from './unit-colours.ts';

const surfaces = { light: '#ffffff', dark: '#1d2123' } as const;

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

it.each(['light', 'dark'] as const)(
  'every colour has a contrast of at least 3 to 1 with its surface (%s)',
  (scheme) => {
    const surface = luminance(surfaces[scheme]);
    for (const colour of unitColours[scheme]) {
      const own = luminance(colour);
      const contrast = (Math.max(own, surface) + 0.05) / (Math.min(own, surface) + 0.05);
      expect(contrast, colour).toBeGreaterThan(3);
    }
  },
);

it('no two of many units have the same style', () => {
  const styles = Array.from({ length: 32 }, (_, index) => JSON.stringify(unitStyle(index, 'light')));
  expect(new Set(styles).size).toBe(32);
});
