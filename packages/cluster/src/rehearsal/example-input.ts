import { builtInModels, usualCulture } from '@lcs/domain';
import type { RehearsalInput } from '@lcs/leader';

const culture = usualCulture('ecoli_glucose');
const model = builtInModels.find(
  ({ model_name, model_version }) => model_name === 'reactor_20ml' && model_version === '1.5',
);
if (culture === undefined || model === undefined) throw new Error('The program must have these.');
export const exampleCulture = culture;

const text = `
experiment_profile_name: feed when dense
version: "1.0"
inputs: {dense: 0.15}
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: 500}}
    od_reading:
      actions:
        - {type: start, t: 1m}
    add_media:
      actions:
        - type: when
          t: 5m
          wait_until: ::od_reading:od2.od > dense
          actions:
            - {type: start, t: 0s, options: {ml: 2}}
    remove_waste:
      actions:
        - {type: start, t: 2h, options: {ml: 2}}
`;

/** For tests: two units that are fed when they are dense. */
export const exampleInput = (
  more: Partial<RehearsalInput> = {},
  unit: Partial<RehearsalInput['units'][number]> = {},
): RehearsalInput => ({
  filename: 'feed.yaml',
  text,
  experiment: 'exp 1',
  units: ['rx01', 'rx02'].map((name) => ({
    name,
    isActive: true,
    model,
    config: {
      bioreactor: { initial_volume_ml: '12', efflux_tube_volume_ml: '12' },
      'od_reading.config': { samples_per_second: '0.05' },
    },
    calibrations: {},
    hasCalibratedOd: true,
    culture: { ...culture, initialOd: 0.1, lagHours: 0 },
    volumeMl: 12,
    bottleMl: 100,
    ambientC: 30,
    ...unit,
  })),
  commonUnits: ['rx01', 'rx02'],
  ownUnits: [],
  areIndependent: true,
  typicalUnits: ['rx01', 'rx02'],
  hours: 3,
  seed: 1,
  ...more,
});
