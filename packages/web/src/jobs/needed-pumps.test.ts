import { expect, it } from 'vitest';
import { devicesNeededBy } from './needed-pumps.ts';

it('knows which pumps an automation needs calibrated', () => {
  expect(devicesNeededBy('chemostat')).toEqual(['media_pump', 'waste_pump']);
  expect(devicesNeededBy('silent')).toEqual([]);
  expect(devicesNeededBy(null)).toEqual([]);
});
