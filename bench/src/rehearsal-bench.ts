import { ProfileRehearsal } from '@lcs/contract';
import { startLeader } from '@lcs/testkit';
import { Value } from 'typebox/value';
import type { Figure } from './figures.ts';

const units = 6;
const days = 10;
const experiment = 'rehearsal';

/** A turbidostat with waits, a loop, conditions and expressions. */
const profile = `version: "1.0"
experiment_profile_name: ten days
inputs: {first: 3, top: 8}
common:
  jobs:
    stirring: {actions: [{type: start, t: 0s, options: {target_rpm: 500}}]}
    temperature_automation:
      actions:
        - {type: start, t: 10s, options: {automation_name: thermostat, target_temperature: 30}}
        - type: when
          t: 1d
          wait_until: ::growth_rate_calculating:growth_rate.growth_rate > 0.3
          actions: [{type: update, t: 1h, options: {target_temperature: 32}}]
    od_reading: {actions: [{type: start, t: 1m}]}
    growth_rate_calculating: {actions: [{type: start, t: 30m}]}
    dosing_automation:
      actions:
        - type: when
          t: 1h
          wait_until: ::growth_rate_calculating:od_filtered.od_filtered > first
          actions:
            - {type: start, t: 0s, options: {automation_name: turbidostat, target_biomass: "\${{ first }}", biomass_signal: normalized_od, exchange_volume_ml: 1}}
            - type: repeat
              t: 1d
              every: 1d
              while: ::dosing_automation:target_biomass < top
              max_time: 8d
              actions:
                - {type: update, t: 0s, options: {target_biomass: "\${{ ::dosing_automation:target_biomass + 1 }}"}}
        - {type: log, t: ${days}d, options: {message: the end}}
`;

async function rehearsed(draws: number): Promise<ProfileRehearsal> {
  await using leader = await startLeader();
  await leader.client.createExperiment({ body: { experiment } });
  for (let unit = 1; unit <= units; unit += 1) {
    const reactor_unit = `unit${unit}`;
    await leader.client.registerWorker({ body: { reactor_unit, model_name: 'reactor_20ml', model_version: '1.5' } });
    await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  }
  const body = { body: profile, experiment, draws, bottle_ml: 20_000 };
  const task = await leader.finished(await leader.client.simulateExperimentProfile({ body }));
  if (task.status !== 'succeeded') throw new Error(JSON.stringify(task));
  return Value.Parse(ProfileRehearsal, task.result);
}

/** Rehearsals of ten days of six units: once for each unit, and with the usual draws; `part`: with so many. */
export async function rehearsalBench(part: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const draws of part === '' ? [1, 20] : [Number(part)]) {
    const { computed_in_s, memory_mib, draws: vials, simulated_hours, can_finish, findings } = await rehearsed(draws);
    if (can_finish !== 'yes') process.stderr.write(`can finish: ${can_finish} ${JSON.stringify(findings[0])}\\n`);
    const name = `rehearsal of ${days} days of ${units} units, ${vials} vials`;
    figures.push(
      { name, value: computed_in_s, unit: 's', ...(draws === 1 && { aim: { atMost: 20 } }) },
      { name: 'times faster than the vials', value: (vials * simulated_hours * 3_600) / computed_in_s, unit: '×' },
      { name: 'memory of a process of it', value: memory_mib, unit: 'MiB' },
    );
  }
  return figures;
}
