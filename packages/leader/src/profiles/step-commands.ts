import type { Json, UnitOutcome } from '@lcs/contract';
import type { BasicAction, ProfileItem, ProfileValues } from '@lcs/domain';
import type { UnitCommand } from '../core/leader-context.ts';
import { startCommand, stopJobCommand, updateCommand } from '../jobs/job-commands.ts';
import type { StartTarget } from '../jobs/job-targets.ts';

/** The commands of a step for its unit, sent one after the other. */
export interface StepOrder {
  readonly commands: readonly UnitCommand[];
  /** Undefined: no job is started. */
  readonly starts: string | undefined;
  readonly isStop: boolean;
}

/** A command that a run has sent to a unit, with its outcome; undefined: there was none. */
export interface SentCommand {
  readonly command: UnitCommand;
  readonly experiment: string;
  readonly job: string | null;
  /** The person or program for whom it was sent. */
  readonly account: string | null;
  readonly outcome: UnitOutcome | undefined;
}

/** The sender of the commands. */
export interface StepSender {
  readonly experiment: string;
  /** Source of the jobs that are started. */
  readonly source: string;
}

/** It is not a running job: a stop or a pause switches its channels off, a change sets them. */
const instantJob = 'led_intensity';
const allOff: ProfileValues = { A: 0, B: 0, C: 0, D: 0 };

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The value of a setting; structured values are sent as text. */
const settable = (value: Json): string | number | boolean | null =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

/** The commands of a step; none for a message. `endsAt`: when the unit ends the started job by itself. */
export function stepOrder(
  step: ProfileItem<BasicAction>,
  { experiment, source }: StepSender,
  target: StartTarget,
  endsAt?: string,
): StepOrder {
  const { unit, job, action } = step;
  const start = (options: ProfileValues, args: readonly string[] = [], overrides: ProfileValues = {}): StepOrder => {
    const body = {
      ...(endsAt !== undefined && { ends_at: endsAt }),
      options: { ...options },
      args: [...args],
      env: { JOB_SOURCE: source },
      config_overrides: Object.entries(overrides).map(([key, value]) => [`${job}.config`, key, textOf(value)]),
    };
    return { commands: [startCommand(target, { job, experiment, body })], starts: job, isStop: false };
  };
  const updates = (values: ProfileValues): StepOrder => ({
    commands: Object.entries(values).map(([name, value]) =>
      updateCommand(unit, { job, experiment, body: { settings: { [name]: settable(value) } } }),
    ),
    starts: undefined,
    isStop: false,
  });
  if (action.type === 'start') return start(action.options, action.args, action.config_overrides);
  if (action.type === 'log') return { commands: [], starts: undefined, isStop: false };
  if (job === instantJob && action.type === 'update') return start(action.options);
  // A stop does not wait for the conditions of a start.
  if (job === instantJob) return { ...start(allOff), starts: undefined };
  switch (action.type) {
    case 'stop':
      return { commands: [stopJobCommand(unit, job, experiment)], starts: undefined, isStop: true };
    case 'update':
      return updates(action.options);
    default:
      return updates({ $state: action.type === 'pause' ? 'sleeping' : 'ready' });
  }
}

/** A step as part of a sentence. */
export function stepText({ unit, job, action }: ProfileItem<BasicAction>): string {
  if (action.type === 'log') return `a message about ${unit}`;
  const values = action.type === 'start' || action.type === 'update' ? Object.entries(action.options) : [];
  const shown = values.map(([name, value]) => `${name}=${textOf(value)}`).join(', ');
  return `${action.type} of ${job} on ${unit}${shown === '' ? '' : ` (${shown})`}`;
}

/** Changes when the unit ends a job by itself; null: it does not. */
export const plannedEndCommand = (unit: string, job: string, experiment: string, endsAt: string | null): UnitCommand =>
  updateCommand(unit, { job, experiment, body: { settings: { $ends_at: endsAt } } });

/** Stops all jobs that a run has started. */
export const stopSourceCommand = (unit: string, { experiment, source }: StepSender): UnitCommand => ({
  unit,
  method: 'POST',
  path: '/unit_api/jobs/stop',
  body: { job_source: source, experiment },
});
