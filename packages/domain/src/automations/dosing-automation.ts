import type { Json } from '@lcs/contract';
import type { TriggerReading } from '../actuations/actuation-reason.ts';
import type { PidRecord } from '../control/pid.ts';
import type { Pump } from '../vial/vial-parameters.ts';
import type { AutomationDeclaration } from './automation.ts';
import { growthRateJobName } from './biomass.ts';

/** The signals that a rule may read. `biomass`: the signal that the setting `biomass_signal` names. */
export type DosingSignal = 'biomass' | 'normalized_od' | 'growth_rate';

/** The density that an automation maintains, or below which it keeps the culture. */
export interface DensityTarget<Setting extends string = string> {
  /** The setting with the target. */
  readonly setting: Setting;
  readonly signal: Extract<DosingSignal, 'biomass' | 'normalized_od'>;
  /** The density from which on the rule dilutes. */
  dilutionThreshold(target: number): number;
}

/** A dose whose volume is a setting. */
export interface FixedDose<Setting extends string = string> {
  /** The setting with the volume, mL. */
  readonly setting: Setting;
  /** Whether the same volume is removed. */
  readonly isExchange: boolean;
}

/** The volumes that the pumps moved, mL; without waste that was removed beyond the command to set the level. */
export interface MovedVolumes {
  readonly mediaMl: number;
  readonly altMediaMl: number;
  readonly wasteMl: number;
}

/** An event of an automation: published as `latest_event`, and recorded. */
export interface AutomationEvent {
  readonly name: string;
  readonly message: string;
  readonly data: Readonly<Record<string, Json>> | null;
}

/** Volumes to add and to remove, mL. `wasteMl`: at least the added volume, or 0 to remove nothing. */
export interface DosingCommand {
  readonly mediaMl: number;
  readonly altMediaMl: number;
  readonly wasteMl: number;
}

/** The reason for a dose: the rule in one sentence with its numbers, its reading, and the settings that it used. */
export interface DosingReason {
  readonly rule: string;
  readonly reading?: TriggerReading;
  readonly settings: Readonly<Record<string, Json>>;
}

/** The decision of a rule; with the record of its controller, if it has one. */
export type DosingDecision = DosingAction & { readonly control?: PidRecord };

type DosingAction =
  /** No dose. `event`: recorded if present. */
  | { readonly action: 'nothing'; readonly event?: AutomationEvent }
  /** The automation must not continue: the job goes to sleep until a person acts. */
  | { readonly action: 'sleep'; readonly reason: string }
  | {
      readonly action: 'dose';
      readonly command: DosingCommand;
      readonly reason: DosingReason;
      /** The event of the completed dose, and a warning where it differs from the command. */
      outcome(moved: MovedVolumes): { readonly event: AutomationEvent; readonly warning?: string };
    };

/** The inputs of a rule at one time. */
export interface DosingInputs<Setting extends string, Constant extends string, Signal extends DosingSignal> {
  /** The current value. */
  setting(name: Setting): number;
  constant(name: Constant): number;
  /** The newest reading; it is fresh. */
  reading(signal: Signal): TriggerReading;
  readonly volumeMl: number;
  /** Share of the liquid that is alternative medium, 0 to 1, by the ledger. */
  readonly altMediaFraction: number;
  /** An inflow must keep the volume below this limit. */
  readonly stopLimitMl: number;
  readonly evaporationMlPerHour: number;
  /** Number of equal parts in which an added volume is exchanged. */
  partsFor(addedMl: number): number;
}

/** A run of an automation. It holds the state of the rule. */
export interface DosingRun {
  step(inputs: DosingInputs<string, string, DosingSignal>): DosingDecision;
  /** State of the rule, from which a run continues after a power cut. */
  readonly memory: Json;
}

/** A dosing automation, as the job runs it. */
export interface DosingAutomation extends AutomationDeclaration {
  /** Pumps that must be usable when it starts. */
  readonly pumps: readonly Pump[];
  /** Readings that must be fresh when the rule decides. */
  readonly reads: readonly DosingSignal[];
  /** When the rule decides. `period`: every `duration` minutes. `biomass`: at each new reading of that signal. */
  readonly trigger: 'period' | 'biomass' | 'never';
  /** Absent: doses do not depend on the density. */
  readonly density?: DensityTarget;
  /** Absent: the rule computes its volumes. */
  readonly dose?: FixedDose;
  /** How long readings are ignored after a dose, s. */
  readonly settleS?: number;
  /** Logged at the start. */
  readonly warning?: string;
  /** `memory`: of an interrupted run; a memory that cannot be read is ignored. */
  start(memory?: Json): DosingRun;
}

interface DosingRule<Setting extends string, Constant extends string, Signal extends DosingSignal, State extends Json>
  extends AutomationDeclaration<Setting, Constant> {
  readonly pumps: readonly Pump[];
  readonly reads: readonly Signal[];
  readonly trigger: DosingAutomation['trigger'];
  readonly density?: DensityTarget<NoInfer<Setting>>;
  readonly dose?: FixedDose<NoInfer<Setting>>;
  readonly settleS?: number;
  readonly warning?: string;
  readonly initialState: State;
  /** The state from a stored memory; undefined: the memory cannot be read. */
  restore(memory: Json): State | undefined;
  step(
    state: State,
    inputs: DosingInputs<Setting, Constant, Signal>,
  ): { readonly state: State; readonly decision: DosingDecision };
}

/** The jobs that publish what a rule reads, without that of the biomass signal, which people choose. */
const publishersOf = (reads: readonly DosingSignal[]): readonly string[] =>
  reads.some((signal) => signal !== 'biomass') ? [growthRateJobName] : [];

/** Makes an automation from a pure rule. */
export function dosingAutomation<
  Setting extends string,
  Constant extends string,
  Signal extends DosingSignal,
  State extends Json,
>(rule: DosingRule<Setting, Constant, Signal, State>): DosingAutomation {
  const { initialState, restore, step, ...declaration } = rule;
  return {
    ...declaration,
    usesJobs: publishersOf(rule.reads),
    start: (memory) => {
      let state = (memory === undefined ? undefined : restore(memory)) ?? initialState;
      return {
        step: (inputs) => {
          const next = step(state, inputs);
          state = next.state;
          return next.decision;
        },
        get memory() {
          return state;
        },
      };
    },
  };
}

/** For rules without state. */
export const stateless = { initialState: null, restore: () => null } as const;

/** Minutes between two decisions; a parameter of every automation with the trigger `period`. */
export const periodParameter = (label: string, minutes: number) =>
  ({ label, unit: 'min', default: minutes, min: 0.01, max: 100_000 }) as const;

export const volumeParameter = (label: string, ml: number) =>
  ({ label, unit: 'mL', default: ml, min: 0, max: 100 }) as const;

/** Option of automations with the trigger `period`: the first decision comes after a whole period. */
export const skipFirstRun = { skip_first_run: { type: 'boolean' } } as const;

/** A volume as a text, rounded to 1 µL, which is finer than any measurement. */
export const formatMl = (ml: number): string => `${Math.round(1000 * ml) / 1000} mL`;
