import { createClient, leaderApi, ProfileRehearsal, waitForTask } from '@lcs/contract';
import { startLeaderProcess, temporaryFolder } from '@lcs/testkit';
import { Value } from 'typebox/value';
import type { Figure } from './figures.ts';
import { createMembers, pause } from './members.ts';
import { processorSecondsWithChildren } from './process-figures.ts';

const units = ['unit1', 'unit2', 'unit3', 'unit4', 'unit5', 'unit6'];
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

interface Rehearsed {
  readonly rehearsal: ProfileRehearsal;
  /** Of all its processes, of their start too, and of the leader meanwhile. */
  readonly processorS: number;
}

/** By a leader that is started as an operator would. */
async function rehearsed(draws: number): Promise<Rehearsed> {
  await using folder = await temporaryFolder('bench');
  const leader = await startLeaderProcess({ dataFolder: folder.path });
  try {
    await createMembers(leader.url, experiment, units, { model_name: 'reactor_20ml', model_version: '1.5' });
    const client = createClient(leaderApi, { baseUrl: leader.url });
    const usedBefore = processorSecondsWithChildren(leader.pid);
    const body = { body: profile, experiment, draws, bottle_ml: 20_000 };
    const task = await waitForTask(leader.url, await client.simulateExperimentProfile({ body }), { sleep: pause });
    if (task.status !== 'succeeded') throw new Error(JSON.stringify(task));
    const processorS = processorSecondsWithChildren(leader.pid) - usedBefore;
    return { rehearsal: Value.Parse(ProfileRehearsal, task.result), processorS };
  } finally {
    await leader.kill('SIGTERM');
  }
}

/** Rehearsals of ten days of six units: once for each unit, and with the usual draws; `part`: with so many. */
export async function rehearsalBench(part: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const draws of part === '' ? [1, 20] : [Number(part)]) {
    const { rehearsal, processorS } = await rehearsed(draws);
    const { computed_in_s, memory_mib, draws: vials, simulated_hours, can_finish, findings } = rehearsal;
    if (can_finish !== 'yes') process.stderr.write(`can finish: ${can_finish} ${JSON.stringify(findings[0])}\n`);
    const name = `rehearsal of ${days} days of ${units.length} units, ${vials} vials`;
    figures.push(
      {
        name,
        value: computed_in_s,
        unit: 's',
        ...(draws === 1 && { aim: { atMost: 20 } }),
        limit: `${processorS.toFixed(1)} s of processor time`,
      },
      { name: 'times faster than the vials', value: (vials * simulated_hours * 3_600) / computed_in_s, unit: '×' },
      { name: 'memory of a process of it', value: memory_mib, unit: 'MiB' },
    );
  }
  return figures;
}
