import { expect, it } from 'vitest';
import type { UnitSignals } from './biomass-choices.ts';
import { fieldOfOption, type StartForm } from './job-forms.ts';
import { withPresentLiquid } from './present-liquid.ts';
import { descriptorOf } from './start-fields.ts';

const option = (name: string) =>
  fieldOfOption(
    { name, long_flag: name, help: '', required: false, multiple: false, default: null, type: 'float' },
    undefined,
    undefined,
  );
const form: StartForm = {
  fields: [],
  variants: [
    {
      name: 'chemostat',
      label: 'Chemostat',
      help: '',
      lastRun: null,
      missing: null,
      fields: ['current_volume_ml', 'efflux_tube_volume_ml', 'alt_media_fraction', 'other'].map(option),
    },
  ],
  isWhole: true,
};
const unit = (name: string, volume_ml: number, waste_tube_level_ml: number): UnitSignals => ({
  unit: name,
  signals: {
    configured: 'od',
    automatic: 'od',
    signals: [],
    culture: { growth_rate: null, volume_ml, media_bottle_left_ml: null, waste_tube_level_ml, alt_media_fraction: 0 },
  },
});
const shown = (...units: readonly UnitSignals[]) =>
  withPresentLiquid(form, units).variants[0]?.fields.map(({ configured, unit: of }) => [configured, of]);

it('an empty field of a start of dosing states what the vial has now, with its unit', () => {
  expect(shown(unit('rx01', 14, 15))).toEqual([
    [14, 'mL'],
    [15, 'mL'],
    [0, null],
    [null, null],
  ]);
  const [volume] = withPresentLiquid(form, [unit('rx01', 14.25, 15)]).variants[0]?.fields ?? [];
  expect(volume && descriptorOf(volume, null, false)).toMatchObject({ hint: expect.stringMatching(/14\.25 mL\.$/) });
});

it('names the value of each unit where they differ, with the unit once', () => {
  const [volume] = withPresentLiquid(form, [unit('rx01', 14, 15), unit('rx02', 12, 15)]).variants[0]?.fields ?? [];
  expect(volume?.configured).toBe('14 mL (rx01), 12 mL (rx02)');
  expect(volume && descriptorOf(volume, null, false)).toMatchObject({ hint: expect.stringMatching(/\(rx02\)\.$/) });
});
