import { ApiError } from '@lcs/contract';
import {
  addAltMediaJob,
  addMediaJob,
  circulateAltMediaJob,
  circulateMediaJob,
  type JobDeclaration,
  pumpsJob,
  readPumpScript,
  removeWasteJob,
} from '@lcs/domain';
import type { Job, JobContext, JobDefinition } from '@lcs/node';
import type { UnitDevices } from '../unit-devices.ts';
import { circulate } from './circulate.ts';
import { amountOf, refusePwmOverrides, validateDose } from './dose-request.ts';
import type { PumpName, Pumps } from './pumping.ts';
import { refusedStart, stoppedBy, stoppedText } from './refusals.ts';
import { runPumpScript } from './run-pump-script.ts';

type PumpDevices = Pick<UnitDevices, 'pumps' | 'modelOf' | 'ownModel'>;

/**
 * Work of an action: ends when the signal aborts, with the pumps off and their volume recorded. It calls `begun` when its pump may
 * run.
 */
type PumpWork = (context: JobContext, pumps: Pumps, signal: AbortSignal, begun: () => void) => Promise<void>;

const defaultSource = 'CLI';

/** The source of the dose: as the option has it, otherwise the command line. */
const sourceOf = ({ options }: Pick<JobContext, 'options'>): string =>
  typeof options.source_of_event === 'string' ? options.source_of_event : defaultSource;

/**
 * An action on pumps: a job that ends by itself, and whose end waits for the ledger. It is ready when its pump runs, so that
 * the requester receives a refusal.
 * @throws ApiError `pumps_refused`
 */
async function startAction(context: JobContext, { pumps }: PumpDevices, work: PumpWork): Promise<Job> {
  const stopping = new AbortController();
  const begun = Promise.withResolvers<void>();
  const done = work(context, pumps.of(context), stopping.signal, () => begun.resolve());
  // Also one that had nothing to do has begun.
  done.then(() => begun.resolve(), begun.reject);
  try {
    await begun.promise;
  } catch (error) {
    throw refusedStart(context.jobName, error);
  }
  return {
    done,
    sleep: () => {
      throw new ApiError('job_cannot_pause', { job: context.jobName });
    },
    stop: async () => {
      stopping.abort();
      // How it failed is met where `done` is.
      await done.catch(() => {});
    },
  };
}

const actionOf = (
  devices: PumpDevices,
  { name, help, settings, options }: JobDeclaration,
  work: PumpWork,
): JobDefinition => ({
  name,
  help,
  settings,
  options,
  isActuating: true,
  allowsSeveral: true,
  stopGroup: 'pumps',
  optionDefaults: () => ({ source_of_event: defaultSource }),
  validate: refusePwmOverrides,
  start: (context) => startAction(context, devices, work),
});

/** One dose of one pump, as a person requests it. */
const doseWork =
  (pump: PumpName): PumpWork =>
  async (context, pumps, signal, begun) => {
    const amount = amountOf(context.jobName, context.options);
    const sourceOfEvent = sourceOf(context);
    const because = { origin: sourceOfEvent };
    const { stopped, volumeMl } = await pumps.dose(context, { pump, amount, sourceOfEvent, because, begun }, signal);
    if (stopped === undefined || stopped === 'stopped') return;
    if (volumeMl <= 0) throw stoppedBy(stopped);
    context.log('WARNING', `It ended after ${volumeMl.toFixed(2)} mL. ${stoppedText(stopped)}`);
  };

const doseJob = (devices: PumpDevices, declaration: JobDeclaration, pump: PumpName): JobDefinition => ({
  ...actionOf(devices, declaration, doseWork(pump)),
  validate: (request) => {
    refusePwmOverrides(request);
    validateDose(request, pump, devices);
  },
});

const circulationWork =
  (pump: 'media' | 'alt_media'): PumpWork =>
  (context, pumps, signal, begun) => {
    const durationS = Number(context.options.duration);
    return circulate(context, pumps, { pump, durationS, source: sourceOf(context), begun }, signal);
  };

function scriptFault(args: readonly string[]): string | undefined {
  const script = readPumpScript(args);
  return typeof script === 'string' ? script : undefined;
}

/** The actions that run pumps. */
export const pumpActions = (devices: PumpDevices): readonly JobDefinition[] => [
  doseJob(devices, addMediaJob, 'media'),
  doseJob(devices, addAltMediaJob, 'alt_media'),
  doseJob(devices, removeWasteJob, 'waste'),
  actionOf(devices, circulateMediaJob, circulationWork('media')),
  actionOf(devices, circulateAltMediaJob, circulationWork('alt_media')),
  {
    ...actionOf(devices, pumpsJob, (context, pumps, signal, begun) =>
      runPumpScript(context, pumps, { args: context.args, source: sourceOf(context), begun }, signal),
    ),
    takes: [{ name: 'pump_script', isRequired: true, isList: true }],
    argsFault: scriptFault,
    // Also without arguments.
    validate: (request) => {
      refusePwmOverrides(request);
      const cause = scriptFault(request.args);
      if (cause !== undefined) throw new ApiError('job_options_invalid', { job: pumpsJob.name, cause });
    },
  },
];
