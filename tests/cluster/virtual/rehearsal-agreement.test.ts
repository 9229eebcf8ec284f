import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drawRun } from '@lcs/cluster/rehearsal';
import { builtInModels, usualCulture } from '@lcs/domain';
import { rehearsalConfig } from '@lcs/leader';
import { effectiveConfig, parseIni } from '@lcs/platform';
import { expect, it } from 'vitest';
import { controlled, startControlRun } from './control-run.ts';

const hourMs = 3_600_000;
const hours = Number(process.env.LCS_AGREEMENT_HOURS ?? 2);
/** The loop is over then. */
const simulatedHours = hours + 0.25;
/** Of rehearsals of days: the pace of checks, doses and the stirrer depends on it. The readings have the interval of the profile. */
const longRunIntervalS = 60;
const targetC = 32;
const file = 'ramp.yaml';

/** Every kind of job, a wait on a reading, a loop and expressions. */
const text = `version: "1.0"
experiment_profile_name: ramp
inputs: {dense: 1.1, exchange: 0.5}
common:
  jobs:
    stirring:
      actions: [{type: start, t: 0s, options: {target_rpm: 500}}]
    temperature_automation:
      actions: [{type: start, t: 5s, options: {automation_name: thermostat, target_temperature: ${targetC}}}]
    od_reading:
      actions: [{type: start, t: 1m, options: {interval: 30}}]
    growth_rate_calculating:
      actions: [{type: start, t: 10m}]
    dosing_automation:
      actions:
        - type: when
          t: 20m
          wait_until: ::growth_rate_calculating:od_filtered.od_filtered > dense
          actions:
            - {type: start, t: 0s, options: {automation_name: turbidostat, target_biomass: "\${{ dense }}", biomass_signal: normalized_od, exchange_volume_ml: "\${{ exchange }}"}}
    led_intensity:
      actions:
        - type: repeat
          t: 30m
          every: 30m
          max_time: ${hours}h
          actions: [{type: start, t: 1m, options: {B: "\${{ 5 + 5 * hours_elapsed() }}"}}]
`;

const culture = usualCulture('ecoli_glucose');
const model = builtInModels.find(
  ({ model_name, model_version }) => model_name === 'reactor_40ml' && model_version === '1.5',
);
if (culture === undefined || model === undefined) throw new Error('The program must have these.');
const known = { ...culture, initialOd: 0.3, lagHours: 0 };

it(`a rehearsal agrees with a leader and a unit over HTTP on virtual time, for ${hours} hours`, async () => {
  await using run = await startControlRun({
    unitCount: 1,
    vial: {
      organism: known.organism,
      // The same lag as 0 hours: ready at once.
      organismValues: { bestRate: known.growthRate, readiness: 1e6, highestOd: known.highestOd },
      initialOd: known.initialOd,
      capacityMl: 40,
      volumeMl: 15,
      effluxMl: 15,
      ambientC: 22,
      isTypical: true,
    },
  });
  const leader = run.leader();
  const config = effectiveConfig(parseIni(await leader.client.getSharedConfig()).document, parseIni('').document);
  const predicted = await drawRun(
    {
      draw: 0,
      input: {
        filename: file,
        text,
        experiment: controlled,
        units: [
          {
            name: 'unit1',
            isActive: true,
            model,
            config: JSON.parse(JSON.stringify(rehearsalConfig(config, longRunIntervalS))),
            calibrations: {},
            hasCalibratedOd: false,
            culture: known,
            volumeMl: 15,
            bottleMl: 1000,
            ambientC: 22,
          },
        ],
        commonUnits: ['unit1'],
        ownUnits: [],
        areIndependent: true,
        typicalUnits: ['unit1'],
        hours: simulatedHours,
        seed: 1,
      },
    },
    () => {},
  );
  await writeFile(join(run.dataFolderOfLeader, 'experiment_profiles', file), text);
  const body = { args: ['execute', file, controlled], options: {} };
  await leader.finished(await leader.client.runJob({ params: { job: 'experiment_profile' }, body }));
  await run.pass(simulatedHours * hourMs);
  await run.caughtUp();
  const [unit] = run.units;
  const real = unit?.plant?.state(run.clock.monotonic()).vial.state;
  if (real === undefined) throw new Error('The unit must have its vial.');

  const params = { experiment: controlled };
  const [profile] = await leader.client.listRecentProfileRuns({ params, query: {} });
  const actions = await leader.client.listProfileRunActions({
    params: { ...params, run_id: profile?.run_id ?? '' },
    query: {},
  });
  const startedMs = Date.parse(profile?.started_at ?? '');
  const realActions = actions
    .map(({ path, iteration, outcome, settled_at }) => ({
      what: `${path}#${iteration} ${outcome}`,
      atHours: (Date.parse(settled_at) - startedMs) / hourMs,
    }))
    .toReversed();
  const rehearsedActions = predicted.actions.map(({ path, iteration, outcome, atHours }) => ({
    what: `${path}#${iteration} ${outcome}`,
    atHours,
  }));
  const byName = (list: readonly { readonly what: string }[]) => list.map(({ what }) => what).sort();
  expect(byName(rehearsedActions)).toEqual(byName(realActions));
  for (const { what, atHours } of realActions) {
    const same = rehearsedActions.find((each) => each.what === what);
    // A wait is evaluated every 15 to 25 s, and the filtered density has noise: half a reading's growth.
    expect(Math.abs((same?.atHours ?? Number.NaN) - atHours), what).toBeLessThan(0.06);
  }
  const values = predicted.units[0]?.values;
  expect(values?.volume.at(-1)).toBeCloseTo(real.volumeMl, 0);
  // Both measure by the board, whose estimate is off by up to 1 °C; the noise of one estimate is 0.1 °C.
  const shown = (values?.temperature ?? []).slice(-20).map((celsius) => celsius ?? Number.NaN);
  expect(Math.min(...shown)).toBeGreaterThan(targetC - 0.5);
  expect(Math.max(...shown)).toBeLessThan(targetC + 0.5);
  expect(Math.abs(real.thermal.liquidC - targetC)).toBeLessThan(1);
  const used = values?.media_used.at(-1) ?? Number.NaN;
  // It is dosed by the exchange of 0.5 mL; the courses differ by the noise of readings.
  expect(real.ledger.media).toBeGreaterThan(2);
  expect(Math.abs(used - real.ledger.media)).toBeLessThan(0.04 * real.ledger.media + 0.6);
}, 120_000);
