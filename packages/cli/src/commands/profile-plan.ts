import type { PlannedAction, ProfilePlan } from '@lcs/contract';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { type JobNameOf, jobNames } from '../job-names.ts';
import { printJson, printTable } from '../output.ts';
import type { ProgramIo } from '../program-io.ts';
import { readText } from './profile-files.ts';

/** Like `1d 2h 30m 5s`. */
function durationText(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'm'],
    [Number(((whole % 60) + (seconds - whole)).toFixed(3)), 's'],
  ] as const;
  return (
    parts
      .filter(([count]) => count > 0)
      .map(([count, unit]) => `${count}${unit}`)
      .join(' ') || '0s'
  );
}

/** Whether a wait decides about the time of an action. */
function followsWait(action: PlannedAction, byPath: ReadonlyMap<string, PlannedAction>): boolean {
  const parent = action.depends_on === null ? undefined : byPath.get(action.depends_on);
  return parent !== undefined && (parent.action === 'when' || followsWait(parent, byPath));
}

const optionsText = ({ options }: PlannedAction): string =>
  Object.entries(options)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');

/** Units named in one row. */
const namedUnits = 3;

interface PlannedRow {
  readonly action: PlannedAction;
  readonly isAfterWait: boolean;
  readonly units: string[];
}

/** The actions of all units by time; an action that several units do at the same time is one row. */
function plannedRows({ units }: ProfilePlan): readonly PlannedRow[] {
  const rows = new Map<string, PlannedRow>();
  for (const { reactor_unit, actions } of units) {
    const byPath = new Map(actions.map((action) => [action.path, action]));
    for (const action of actions) {
      const key = `${action.path}#${action.iteration}`;
      const row = rows.get(key) ?? { action, isAfterWait: followsWait(action, byPath), units: [] };
      row.units.push(reactor_unit);
      rows.set(key, row);
    }
  }
  return [...rows.values()].sort((a, b) => a.action.at_s - b.action.at_s);
}

function showPlan(io: ProgramIo, plan: ProfilePlan, nameOf: JobNameOf): void {
  printTable(
    io,
    ['TIME', 'UNIT', 'JOB', 'ACTION', 'OPTIONS', 'CONDITION'],
    plannedRows(plan).map(({ action, isAfterWait, units }) => [
      `${isAfterWait ? '>= ' : ''}${durationText(action.at_s)}`,
      units.length > namedUnits ? `${units.length} units` : units.join(', '),
      nameOf(action.job_name),
      action.iteration > 0 ? `${action.action} #${action.iteration + 1}` : action.action,
      optionsText(action),
      action.condition ?? '',
    ]),
  );
  const length =
    plan.length_s === null
      ? 'The length is not known: it has a wait, or a loop without a time limit.'
      : `The last action is after ${durationText(plan.length_s)}.`;
  const more = plan.units.some(({ is_truncated }) => is_truncated)
    ? ' There are later actions, which are not shown.'
    : '';
  const omitted = plan.omitted_units > 0 ? ` ${plan.omitted_units} more units are not shown.` : '';
  io.stdout.write(`\n${length}${more}${omitted}\n`);
}

/** `lcs profiles plan`: the timeline of a file on this computer. */
export function addPlan(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('plan').description('when a file would do what, without running it'), io)
    .argument('<file>', 'a YAML file on this computer')
    .option('--experiment <name>', 'for the units of this experiment')
    .action(async (file: string, options: ConnectionOptions & { experiment?: string }) => {
      const { experiment } = options;
      const body = { body: await readText(file), ...(experiment !== undefined && { experiment }) };
      const leader = connect(options);
      const plan = await leader.planExperimentProfile({ body });
      if (options.json) return printJson(io, plan);
      const jobs = plan.units.flatMap(({ actions }) => actions.map(({ job_name }) => job_name));
      showPlan(io, plan, await jobNames(leader, jobs));
    });
}
