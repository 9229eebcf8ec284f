import type {
  CalibrationContent,
  EstimatorContent,
  Json,
  OdAngle,
  SessionField,
  SessionResult,
  SessionStep,
} from '@lcs/contract';
import type { PumpDevice } from '../calibrations/calibration-file.ts';
import type { SelfTestName } from '../self-test/self-test.ts';
import type { SessionData } from './session-data.ts';
import type { StepInputs } from './step-inputs.ts';

export { InvalidInput } from './step-inputs.ts';

/** The facts about a unit that protocols need. */
export interface ProtocolFacts {
  readonly unit: string;
  readonly nowMs: number;
  /** Names of the jobs that run. */
  readonly runningJobs: readonly string[];
  /** Those of them that plugins brought and that may run pumps. */
  readonly pluginPumpJobs: readonly string[];
  /** PWM channel of a pump; undefined: not wired. */
  readonly pumpChannel: (device: PumpDevice) => string | undefined;
  /** Frequency of the pumps' outputs, which the board sets, Hz. */
  readonly pumpHz: number;
  /** Longest time that a pump may run at once, s. */
  readonly longestPumpRunS: number;
  /** Photodiodes with their angles, including the reference. */
  readonly photodiodes: readonly { readonly channel: string; readonly angle: OdAngle | 'REF' }[];
  readonly irLedIntensity: number | 'auto';
  readonly initialRpm: number;
  readonly initialDuty: number;
  /** Frequency of the stirrer's output, Hz. */
  readonly stirrerHz: number;
  readonly model: string | undefined;
  readonly calibrationExists: (device: string, name: string) => boolean;
  readonly estimatorExists: (device: string, name: string) => boolean;
  /** Estimators of fused OD from which an offset can be made. */
  readonly fusedEstimators: readonly EstimatorContent[];
  /** The experiment of the unit, to which a blank belongs. */
  readonly experiment: string | undefined;
  /** Names of the active calibrations and estimators of the optical density. */
  readonly activeForOd: readonly string[];
}

/** Work that the unit's hardware does for a step. */
export type ProtocolAction =
  | {
      readonly kind: 'pump';
      readonly device: PumpDevice;
      /** Of one pulse. */
      readonly seconds: number;
      /** Equal runs one after the other, each from standstill. */
      readonly pulses: number;
      /** % */
      readonly duty: number;
      /** What the run is for, such as `run 3 of 10`. */
      readonly purpose: string;
      /** The inlet is in the bottle of the experiment, not in a vessel with water. */
      readonly isFromBottle: boolean;
    }
  /** Reads the supply of pumps, heater and stirrer. */
  | { readonly kind: 'supply' }
  /** Reads the last estimate of the temperature automation. */
  | { readonly kind: 'temperature' }
  | { readonly kind: 'stirring'; readonly lowestDuty: number; readonly highestDuty: number }
  | { readonly kind: 'od'; readonly rpm: number; readonly readings: OdReadings }
  /** Runs a pump to fill its tube; the ledger records the volume. A person who sees liquid may stop it early. */
  | { readonly kind: 'prime'; readonly device: PumpDevice; readonly seconds: number }
  /** Reads medium without cells, as the job `od_blank` does, without storing the blank. */
  | { readonly kind: 'blank_light'; readonly samples: number }
  /** Stores a blank, as the job `od_blank` does. */
  | {
      readonly kind: 'keep_blank';
      readonly means: Readonly<Record<string, number>>;
      /** What a person has accepted. */
      readonly problems: readonly string[];
    }
  /** Runs the self-test: all checks, or only those with this text in their name. */
  | { readonly kind: 'self_test'; readonly only?: string };

/** Number and speeds of the readings of the photodiodes. */
export interface OdReadings {
  /** Readings that are discarded at the start. */
  readonly discarded: number;
  /** Speeds as shares of the session's speed; one reading each. */
  readonly speeds: readonly number[];
  readonly spacingS: number;
}

/** The result of an action. */
export type ActionResult =
  | { readonly kind: 'pump' }
  | { readonly kind: 'supply'; readonly supplyV: number }
  /** °C, before any trim. */
  | { readonly kind: 'temperature'; readonly estimatedC: number; readonly boardC: number; readonly duty: number }
  | {
      readonly kind: 'stirring';
      readonly points: readonly { readonly duty: number; readonly rpm: number }[];
      readonly supplyV: number;
    }
  /** Volts after referencing, by channel, for each reading. */
  | { readonly kind: 'od'; readonly readings: readonly Readonly<Record<string, number>>[] }
  | { readonly kind: 'prime'; readonly volumeMl: number; readonly ranS: number; readonly isStopped: boolean }
  | { readonly kind: 'blank_light'; readonly readings: readonly Readonly<Record<string, number>>[] }
  | { readonly kind: 'keep_blank' }
  | { readonly kind: 'self_test'; readonly outcomes: readonly SelfTestOutcome[] };

/** The outcome of one check of the self-test. */
export interface SelfTestOutcome {
  readonly name: SelfTestName;
  readonly passed: boolean;
  readonly why: string;
}

export type ResultOf<Action extends ProtocolAction> = Extract<ActionResult, { kind: Action['kind'] }>;

/** A calibration or estimator that a session makes; the unit stores and activates it. */
export type SessionFile =
  | { readonly kind: 'calibration'; readonly device: string; readonly content: CalibrationContent }
  | { readonly kind: 'estimator'; readonly device: string; readonly content: EstimatorContent };

/** Path of a stored file, below the unit's data folder. */
export interface SessionFileLink {
  readonly device: string;
  readonly name: string;
  readonly path: string;
}

type Values = Readonly<Record<string, Json>>;

/** The consequence of a step's inputs. */
export type Advance =
  /** The next step, or the same again; `data` is merged into the session's data. */
  | { readonly kind: 'step'; readonly stepId: string; readonly data?: Values }
  /** An action of the hardware; `proceed` receives its result. */
  | {
      readonly kind: 'act';
      /** Name of the action in error messages. */
      readonly label: string;
      readonly action: ProtocolAction;
      readonly proceed: (result: ActionResult) => Advance;
    }
  | {
      readonly kind: 'finish';
      readonly data?: Values;
      readonly files: readonly SessionFile[];
      readonly result: (links: readonly SessionFileLink[]) => SessionResult;
    };

/** The state of a session. */
export interface ProtocolState {
  readonly device: string;
  readonly stepId: string;
  readonly data: SessionData;
}

/** A guided procedure: steps as data, and pure functions from step to step. */
export interface Protocol {
  readonly name: string;
  readonly priority: number;
  /** In title and description `{device}` is replaced by the name of the device. */
  readonly title: string;
  readonly description: string;
  readonly requirements: readonly string[];
  /** The devices of this unit to which the protocol applies. */
  devices(facts: ProtocolFacts): readonly string[];
  /** What it does to the culture of a running experiment, in sentences for the person who starts it. */
  effect(device: string): string;
  /** Why a session cannot start now; undefined: it can. */
  refusal(device: string, facts: ProtocolFacts): string | undefined;
  start(device: string, facts: ProtocolFacts): { readonly stepId: string; readonly data: Values };
  step(state: ProtocolState, facts: ProtocolFacts): SessionStep;
  /** @throws InvalidInput */
  advance(state: ProtocolState, inputs: StepInputs, facts: ProtocolFacts): Advance;
}

export const goTo = (stepId: string, data?: Values): Advance => ({
  kind: 'step',
  stepId,
  ...(data === undefined ? {} : { data }),
});

/** An action whose result has the same kind. */
export function performAction<Action extends ProtocolAction>(
  label: string,
  action: Action,
  proceed: (result: ResultOf<Action>) => Advance,
): Advance {
  const isOfIts = (result: ActionResult): result is ResultOf<Action> => result.kind === action.kind;
  return {
    kind: 'act',
    label,
    action,
    proceed: (result) => {
      if (!isOfIts(result)) throw new TypeError(`The result of ${action.kind} must not be one of ${result.kind}.`);
      return proceed(result);
    },
  };
}

type Shown = Pick<SessionStep, 'title' | 'body'> & Partial<Pick<SessionStep, 'fields' | 'metadata'>>;

/** A step; parts that are not given are empty. */
export const stepOf = (stepId: string, type: SessionStep['step_type'], shown: Shown): SessionStep => ({
  step_id: stepId,
  step_type: type,
  fields: [],
  metadata: {},
  ...shown,
});

/** A field; parts that are not given are empty. */
export const fieldOf = (
  field: Pick<SessionField, 'name' | 'label' | 'field_type'> & Partial<SessionField>,
): SessionField => ({
  required: true,
  default: null,
  options: field.field_type === 'bool' ? ['yes', 'no'] : null,
  minimum: null,
  maximum: null,
  min_error_msg: null,
  max_error_msg: null,
  help_text: null,
  ...field,
});

/** The date, as in file names. */
export const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10);

/** `od_reading` → `od reading`. */
export const withBlanks = (name: string): string => name.replaceAll('_', ' ');

/** The device as people know it: `media_pump` → `media pump`, `od90` → `OD at 90°`. */
export function deviceWords(device: string): string {
  if (device === 'od') return 'OD';
  if (device === 'od_fused') return 'fused OD';
  const angle = /^od(\d+)$/.exec(device)?.[1];
  return angle === undefined ? withBlanks(device) : `OD at ${angle}°`;
}

/** The running jobs that alone prevent a session: without them it can start. */
export function blockingJobs(protocol: Protocol, device: string, facts: ProtocolFacts): readonly string[] {
  if (protocol.refusal(device, { ...facts, runningJobs: [] }) !== undefined) return [];
  return facts.runningJobs.filter((job) => protocol.refusal(device, { ...facts, runningJobs: [job] }) !== undefined);
}

/** Why a session cannot start while one of these jobs runs; undefined: none of them runs. */
export function conflictingJobs(jobs: readonly string[], { runningJobs }: ProtocolFacts): string | undefined {
  const running = jobs.filter((job) => runningJobs.includes(job));
  const [last] = running.slice(-1);
  if (last === undefined) return undefined;
  if (running.length === 1) return `${last} is running: stop it first.`;
  return `${running.slice(0, -1).join(', ')} and ${last} are running: stop them first.`;
}
