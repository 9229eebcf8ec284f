import { exchangeForWashOut, exchangeParts } from '@lcs/domain';
import type { JobContext, JobDefinition } from '@lcs/node';
import { quietVial, type TestUnitOptions, testUnit } from './test-unit.ts';

export type TestUnit = Awaited<ReturnType<typeof testUnit>>;

const still: TestUnitOptions = {
  vial: { ...quietVial, evaporationMlPerHour: 0 },
  start: { volumeMl: 14, od: 0.1, reservoirMl: 1000 },
};
export const env = { EXPERIMENT: 'exp1', MODEL_NAME: 'reactor_20ml', MODEL_VERSION: '1.5' };

/** A job through which a test publishes readings. */
function meter() {
  let context: JobContext | undefined;
  const definition: JobDefinition = {
    name: 'meter',
    isActuating: false,
    stopGroup: 'rest',
    settings: { level: { type: 'json', nullable: true } },
    options: {},
    start: (own) => {
      context = own;
      return {};
    },
  };
  const asJob = (): JobContext => {
    if (context === undefined) throw new Error('The meter does not run.');
    return context;
  };
  return {
    definition,
    /** A reading of the optical density, or of another source. */
    reads: (value: number, source = 'od', flags: readonly string[] = [], isLeast = false) =>
      asJob().reading({ source, value, flags, isLeast, ...(source === 'od' && { channel: '2', angle: 90 }) }),
    publishes: (value: number | { readonly [key: string]: number | string }) => asJob().publish('level', value),
    emits: (name: string) => asJob().event({ name, data: {} }),
  };
}

/** A unit with a meter that runs. */
export async function metered(more: Partial<TestUnitOptions> = {}) {
  const meters = meter();
  const unit = await testUnit({ ...still, ...more, alsoJobs: () => [meters.definition] });
  await unit.run('meter', { env });
  return { unit, meters };
}

export const automation = (unit: TestUnit, automation_name: string, options: Record<string, unknown> = {}) =>
  unit.run('dosing_automation', { options: { automation_name, ...options }, env });
export const turbidostat = (unit: TestUnit, options: Record<string, unknown> = {}) =>
  automation(unit, 'turbidostat', { target_biomass: 0.5, biomass_signal: 'od', ...options });

/** What a chemostat pumps for an exchange volume, with the default evaporation and parts. */
export const chemostatDoseMl = (exchangeMl: number, everyMin: number, volumeMl = 14): number =>
  exchangeForWashOut(exchangeMl / volumeMl, {
    volumeMl,
    evaporatedMl: (0.02 * everyMin) / 60,
    partsFor: (addedMl) => exchangeParts(addedMl, 1),
  });

export const moved = (unit: TestUnit, event: string): number =>
  unit.recorded.events
    .filter(({ name, data }) => name === 'dosing' && data.event === event)
    .reduce((sum, { data }) => sum + Number(data.volume_change_ml), 0);
export const automationEvents = (unit: TestUnit): readonly unknown[] =>
  unit.recorded.events.filter(({ name }) => name === 'automation').map(({ data }) => data.event_name);
export const actuations = (unit: TestUnit) =>
  unit.recorded.events.filter(({ name }) => name === 'actuation').map(({ data }) => data);
export const stateOf = (unit: TestUnit): unknown => unit.runtime.settings('dosing_automation').$state;
export const pumpLevels = (unit: TestUnit) => [2, 3, 4].map((channel) => Reflect.get(unit.board.levels.pwm, channel));
export const errors = (unit: TestUnit): readonly string[] =>
  unit.recorded.logs.filter((line) => line.startsWith('ERROR'));
