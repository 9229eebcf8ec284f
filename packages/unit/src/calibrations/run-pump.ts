import { ApiError } from '@lcs/contract';
import {
  actuationEvent,
  defaultPumpFlow,
  type ProtocolAction,
  type PumpDevice,
  type PumpFlow,
  planRun,
  runOutsideVial,
} from '@lcs/domain';
import { GuardLost, GuardRefused } from '@lcs/hardware';
import type { JobContext, JobEvent, JobOrigin } from '@lcs/node';
import { type DoseAccount, pumpCalibrationSource, type VialLedger } from '../bioreactor/vial-ledger.ts';
import type { PumpCalibrationOf } from '../jobs/pumps/pump-settings.ts';
import { RunMeter } from '../jobs/pumps/run-meter.ts';
import { switchedOff } from '../jobs/pumps/switched-off.ts';
import { HeldOutput } from '../jobs/shared/held-output.ts';
import { pwmOutput } from '../jobs/shared/job-config.ts';
import type { ActionProgress } from './action-progress.ts';
import { pumpLabels } from './pump-limits.ts';

/** How runs of pumps by sessions are recorded. */
export interface PumpRecords {
  readonly ledger: Pick<VialLedger, 'open'>;
  readonly calibrationOf: PumpCalibrationOf;
  /** Records an event in the name of a job, even while the job is ending. */
  readonly event: (job: JobOrigin, event: JobEvent) => void;
  /** The experiment that this unit is in. */
  readonly experiment: () => { readonly name: string; readonly uid: string } | undefined;
}

interface RunFacts extends PumpRecords {
  /** A running job that may move liquid. */
  readonly liquidJob: () => string | undefined;
}

type PumpAction = Extract<ProtocolAction, { kind: 'pump' }>;

const progressEveryMs = 1_000;
/** The tube comes to rest between two pulses, as between two doses. Chosen. */
const restMs = 1_000;
/** A run that ends this much early or late is whole: the precision of a timer. */
const toleranceMs = 1;

/** Waits, and reports the progress regularly. @throws the signal's reason */
async function wait({ clock }: JobContext, totalMs: number, onProgress: ActionProgress): Promise<void> {
  const startMs = clock.monotonic();
  for (;;) {
    const leftMs = startMs + totalMs - clock.monotonic();
    if (leftMs <= 0) return onProgress(1);
    await clock.sleep(Math.min(leftMs, progressEveryMs));
    onProgress(Math.min(1, (clock.monotonic() - startMs) / totalMs));
  }
}

/** The flow that the runs are taken to have before they are weighed: of the active calibration at the same power, else of a usual pump. */
function estimatedFlow(calibrationOf: PumpCalibrationOf, { device, duty }: PumpAction): PumpFlow {
  const active = calibrationOf(device);
  if (active?.duty === duty) return active.flow;
  const share = duty / 100;
  return {
    volumeIn: (seconds) => share * defaultPumpFlow.volumeIn(seconds),
    secondsFor: (volumeMl) => defaultPumpFlow.secondsFor(volumeMl / share),
  };
}

/** A run that draws from a bottle lowers its level; nothing of a calibration enters or leaves the vial. */
const eventOf = ({ device, isFromBottle }: PumpAction): string =>
  isFromBottle && device !== 'waste_pump' ? `prime_${pumpLabels[device]}` : runOutsideVial(pumpLabels[device]);

/** The calibrations run in a scratch experiment; the people of the real one must find what its pumps did. */
function recordedJob(context: JobContext, { experiment }: PumpRecords): JobOrigin {
  const current = experiment();
  if (current === undefined) return context;
  const { jobId, jobName, jobSource, startedBy } = context;
  const starter = startedBy === undefined ? {} : { startedBy };
  return { jobId, jobName, jobSource, ...starter, experiment: current.name, experimentUid: current.uid };
}

const deviceWords = (device: PumpDevice): string => device.replaceAll('_', ' ');

/**
 * Runs a pump; the guard ends each run by itself, even if this job fails. Each run is in the ledger before it begins, and what did not
 * run, or ran on, is corrected afterwards. @throws GuardRefused, StoreError, the signal's reason, ApiError `job_excluded`
 */
export async function runPump(
  context: JobContext,
  records: RunFacts,
  action: PumpAction,
  onProgress: ActionProgress,
): Promise<void> {
  const { device, seconds, pulses, duty, purpose } = action;
  const job = recordedJob(context, records);
  const output = pwmOutput(context.config, pumpLabels[device]);
  const pump = await HeldOutput.take(context, output);
  // It may have begun since the step was checked; from now on this job refuses its start.
  const running = records.liquidJob();
  if (running !== undefined) {
    await switchedOff(pump);
    throw new ApiError('job_excluded', { job: context.jobName, running });
  }
  const rule = `Calibration of the ${deviceWords(device)}, ${purpose}: into a vessel, not into the vial.`;
  const reason = { origin: context.jobSource, rule };
  records.event(job, actuationEvent({ output: device, to: pulses * seconds, unit: 's', isOutsideVial: true, reason }));
  const opened = { event: eventOf(action), sourceOfEvent: pumpCalibrationSource, output, percent: duty };
  const flow = estimatedFlow(records.calibrationOf, action);
  let run: CalibrationRun | undefined;
  try {
    for (let pulse = 0; pulse < pulses; pulse += 1) {
      if (pulse > 0) await context.clock.sleep(restMs);
      run = new CalibrationRun(records.ledger.open(job, opened), new RunMeter(context.clock), flow, seconds);
      await run.announce();
      await run.begin(pump, duty);
      await wait(context, 1000 * seconds, (share) => onProgress((pulse + share) / pulses));
      await run.end(() => pump.set(0));
      run = undefined;
    }
  } finally {
    const release = () => switchedOff(pump);
    await (run === undefined ? release() : run.end(release));
  }
}

/** One run in the ledger. */
class CalibrationRun {
  readonly #account: DoseAccount;
  readonly #meter: RunMeter;
  readonly #flow: PumpFlow;
  readonly #totalMs: number;
  /** `lost`: how long it has run is not known, so the whole run stays in the ledger. */
  #outcome: 'begun' | 'refused' | 'lost' = 'begun';

  constructor(account: DoseAccount, meter: RunMeter, flow: PumpFlow, seconds: number) {
    this.#account = account;
    this.#meter = meter;
    this.#flow = flow;
    this.#totalMs = 1000 * seconds;
  }

  #volumeMl(ranMs: number): number {
    return planRun({ durationS: ranMs / 1000 }, this.#flow)?.volumeMl ?? 0;
  }

  /** @throws StoreError: the run must not begin */
  announce(): Promise<void> {
    return this.#account.enter(this.#volumeMl(this.#totalMs), this.#totalMs);
  }

  /** It counts from before the command: the pump may run before its confirmation comes. @throws GuardRefused, GuardLost, the signal's reason */
  async begin(pump: HeldOutput, duty: number): Promise<void> {
    this.#meter.set(this.#totalMs);
    try {
      await pump.set(duty, this.#totalMs);
    } catch (error) {
      this.#outcome = error instanceof GuardRefused ? 'refused' : error instanceof GuardLost ? 'lost' : 'begun';
      throw error;
    }
  }

  /** Switches the pump off by `command`; corrects the ledger by what did not run, or by what a stalled guard let run on. */
  async end(command: () => Promise<void>): Promise<void> {
    await this.#meter.offBy(command);
    const ranMs = this.#outcome === 'refused' ? 0 : this.#meter.ranMs;
    try {
      if (this.#outcome === 'lost') return;
      if (Math.abs(this.#totalMs - ranMs) > toleranceMs)
        await this.#account.enter(this.#volumeMl(ranMs) - this.#volumeMl(this.#totalMs), ranMs - this.#totalMs);
    } finally {
      await this.#account.close();
    }
  }
}
