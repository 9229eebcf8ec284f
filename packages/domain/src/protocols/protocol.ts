import type { CalibrationContent, EstimatorContent, Json, OdAngle, SessionField, SessionStep } from '@lcs/contract';
import type { PumpDevice } from '../calibrations/calibration-file.ts';
import type { SelfTestName } from '../self-test/self-test.ts';
import type { SessionData } from './session-data.ts';
import type { StepInputs } from './step-inputs.ts';

export { InvalidInput } from './step-inputs.ts';

/** What a protocol has to know of its unit. */
export interface ProtocolFacts {
  readonly unit: string;
  readonly nowMs: number;
  /** Names of the jobs that run. */
  readonly runningJobs: readonly string[];
  /** PWM channel of a pump; undefined when none is wired. */
  readonly pumpChannel: (device: PumpDevice) => string | undefined;
  /** Frequency of the pumps' outputs, which the board sets, Hz. */
  readonly pumpHz: number;
  /** Longest time that a pump may run at once, s. */
  readonly longestPumpRunS: number;
  /** Photodiodes with their angles, the reference too. */
  readonly photodiodes: readonly { readonly channel: string; readonly angle: OdAngle | 'REF' }[];
  readonly irLedIntensity: number | 'auto';
  readonly initialRpm: number;
  readonly initialDuty: number;
  /** Frequency of the stirrer's output, Hz. */
  readonly stirrerHz: number;
  readonly model: string | undefined;
  readonly calibrationExists: (device: string, name: string) => boolean;
  readonly estimatorExists: (device: string, name: string) => boolean;
  /** Estimators of fused OD that an offset can begin with. */
  readonly fusedEstimators: readonly EstimatorContent[];
  /** The experiment that the unit is in; a blank belongs to one. */
  readonly experiment: string | undefined;
  /** Names of what is active for the optical density: calibrations of its photodiodes, an estimator. */
  readonly activeForOd: readonly string[];
}

/** Work that the unit's hardware does for a step. */
export type ProtocolAction =
  | {
      readonly kind: 'pump';
      readonly device: PumpDevice;
      readonly seconds: number;
      /** % */
      readonly duty: number;
    }
  /** Reads the supply of pumps, heater and stirrer. */
  | { readonly kind: 'supply' }
  /** Looks what the temperature automation has estimated last. */
  | { readonly kind: 'temperature' }
  | { readonly kind: 'stirring'; readonly lowestDuty: number; readonly highestDuty: number }
  | { readonly kind: 'od'; readonly rpm: number; readonly readings: OdReadings }
  /** Runs a pump to fill its tube; what it moves is on the ledger. Somebody who sees liquid may end it before its time. */
  | { readonly kind: 'prime'; readonly device: PumpDevice; readonly seconds: number }
  /** Reads medium without cells, as the job `od_blank` does, and keeps nothing. */
  | { readonly kind: 'blank_light'; readonly samples: number }
  /** Keeps a blank as the job `od_blank` does. */
  | { readonly kind: 'keep_blank'; readonly means: Readonly<Record<string, number>> }
  /** Does the self-test: all of it, or only the checks with this in their name. */
  | { readonly kind: 'self_test'; readonly only?: string };

/** How often the photodiodes are read, and at which shares of the speed. */
export interface OdReadings {
  /** Before the first that counts. */
  readonly discarded: number;
  /** One reading each. */
  readonly speeds: readonly number[];
  readonly spacingS: number;
}

/** What an action found. */
export type ActionResult =
  | { readonly kind: 'pump' }
  | { readonly kind: 'supply'; readonly supplyV: number }
  /** °C, before any trim. */
  | { readonly kind: 'temperature'; readonly estimatedC: number }
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

/** What one check of the self-test has found. */
export interface SelfTestOutcome {
  readonly name: SelfTestName;
  readonly passed: boolean;
  readonly why: string;
}

export type ResultOf<Action extends ProtocolAction> = Extract<ActionResult, { kind: Action['kind'] }>;

/** A file that a session ends with; it is stored and made the active one. */
export type SessionFile =
  | { readonly kind: 'calibration'; readonly device: string; readonly content: CalibrationContent }
  | { readonly kind: 'estimator'; readonly device: string; readonly content: EstimatorContent };

/** Where a file was stored, below the unit's data folder. */
export interface SessionFileLink {
  readonly device: string;
  readonly name: string;
  readonly path: string;
}

type Values = Readonly<Record<string, Json>>;

/** What follows from a step's inputs. */
export type Advance =
  /** Another step, or the same again; `data` is put over what is there. */
  | { readonly kind: 'step'; readonly stepId: string; readonly data?: Values }
  /** First this work; then what follows from its result. */
  | {
      readonly kind: 'act';
      /** What it is called when it fails. */
      readonly label: string;
      readonly action: ProtocolAction;
      readonly proceed: (result: ActionResult) => Advance;
    }
  | {
      readonly kind: 'finish';
      readonly data?: Values;
      readonly files: readonly SessionFile[];
      readonly result: (links: readonly SessionFileLink[]) => Values;
    };

/** One session, as its protocol sees it. */
export interface ProtocolState {
  readonly device: string;
  readonly stepId: string;
  readonly data: SessionData;
}

/** A guided way to calibrate something: steps as data, and pure functions from step to step. */
export interface Protocol {
  readonly name: string;
  readonly priority: number;
  readonly title: string;
  /** `{device}` stands for the device in words. */
  readonly description: string;
  readonly requirements: readonly string[];
  /** Those that it can calibrate on this unit. */
  devices(facts: ProtocolFacts): readonly string[];
  /** Why a session cannot begin now; undefined when it can. */
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

/** Work whose result is of its own kind. */
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
      if (!isOfIts(result)) throw new TypeError(`The result of ${action.kind} is one of ${result.kind}.`);
      return proceed(result);
    },
  };
}

type Shown = Pick<SessionStep, 'title' | 'body'> & Partial<Pick<SessionStep, 'fields' | 'metadata'>>;

/** A step with everything that is not said left empty. */
export const stepOf = (stepId: string, type: SessionStep['step_type'], shown: Shown): SessionStep => ({
  step_id: stepId,
  step_type: type,
  fields: [],
  metadata: {},
  ...shown,
});

/** A field with everything that is not said left empty. */
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

/** The day, as names of files have it. */
export const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10);

/** `od_reading` → `od reading`. */
export const withBlanks = (name: string): string => name.replaceAll('_', ' ');

/** Why a session cannot begin beside these jobs; undefined when none of them runs. */
export function conflictingJobs(inTheWay: readonly string[], { runningJobs }: ProtocolFacts): string | undefined {
  const running = inTheWay.filter((job) => runningJobs.includes(job));
  const [last] = running.slice(-1);
  if (last === undefined) return undefined;
  if (running.length === 1) return `${last} is running: stop it first.`;
  return `${running.slice(0, -1).join(', ')} and ${last} are running: stop them first.`;
}
