import type { Json } from '@lcs/contract';
import type { ReadingBehind } from '../actuations/because.ts';
import type { PidRecord } from '../control/pid.ts';
import type { Pump } from '../vial/vial-parameters.ts';
import type { AutomationDeclaration } from './automation.ts';

/** What a rule may read. `biomass` is the signal that the setting `biomass_signal` names. */
export type DosingSignal = 'biomass' | 'normalized_od' | 'growth_rate';

/** The density that an automation keeps a culture at, or below. */
export interface DensityTarget<Setting extends string = string> {
  /** The setting with the target. */
  readonly setting: Setting;
  readonly signal: Extract<DosingSignal, 'biomass' | 'normalized_od'>;
  /** From this density on the rule dilutes. */
  dilutesFrom(target: number): number;
}

/** What really went through the pumps, mL; not what was taken out beyond the order to set the level. */
export interface MovedVolumes {
  readonly mediaMl: number;
  readonly altMediaMl: number;
  readonly wasteMl: number;
}

/** What an automation tells of itself: `latest_event`, and the record of its events. */
export interface AutomationNews {
  readonly name: string;
  readonly message: string;
  readonly data: Readonly<Record<string, Json>> | null;
}

/** Liquid in, liquid out; mL. `wasteMl` is at least what is added, or 0 where nothing is to be removed. */
export interface DosingOrder {
  readonly mediaMl: number;
  readonly altMediaMl: number;
  readonly wasteMl: number;
}

/** Why: the rule in one sentence with its numbers, what it read, and the settings that it used. */
export interface DosingReason {
  readonly rule: string;
  readonly reading?: ReadingBehind;
  readonly settings: Readonly<Record<string, Json>>;
}

/** What a rule decides, and the step of its controller that led there, where it has one. */
export type DosingDecision = DosingAct & { readonly control?: PidRecord };

type DosingAct =
  /** Nothing is to be done; told only when there is something to tell. */
  | { readonly act: 'nothing'; readonly news?: AutomationNews }
  /** It must not go on: the automation is put to sleep, and a person has to see to it. */
  | { readonly act: 'sleep'; readonly why: string }
  | {
      readonly act: 'dose';
      readonly order: DosingOrder;
      readonly reason: DosingReason;
      /** When it was done. */
      told(moved: MovedVolumes): { readonly news: AutomationNews; readonly warning?: string };
    };

/** What a rule sees at one moment. */
export interface DosingLook<Setting extends string, Constant extends string, Signal extends DosingSignal> {
  /** As it is now. */
  setting(name: Setting): number;
  constant(name: Constant): number;
  /** The newest one, known to be fresh. */
  reading(signal: Signal): ReadingBehind;
  readonly volumeMl: number;
  /** Volume that an inflow may not reach. */
  readonly stopLimitMl: number;
}

/** A run of an automation: remembers what its rule remembers. */
export interface DosingRun {
  step(look: DosingLook<string, string, DosingSignal>): DosingDecision;
  /** What the rule remembers, to begin with after a power cut. */
  readonly memory: Json;
}

/** A dosing automation, as the job runs it. */
export interface DosingAutomation extends AutomationDeclaration {
  /** Pumps that must be usable when it starts. */
  readonly pumps: readonly Pump[];
  /** Readings that must be there, and fresh, when it looks. */
  readonly reads: readonly DosingSignal[];
  /** `period`: each `duration` minutes. `biomass`: at each new reading of that signal. */
  readonly trigger: 'period' | 'biomass' | 'never';
  /** Absent: it doses whatever the density is. */
  readonly density?: DensityTarget;
  /** Readings are ignored for so long after a dose. */
  readonly settleS?: number;
  /** Said when it starts. */
  readonly warning?: string;
  /** `memory`: of an earlier run that was cut; what it does not understand is begun anew. */
  begin(memory?: Json): DosingRun;
}

interface DosingRule<Setting extends string, Constant extends string, Signal extends DosingSignal, State extends Json>
  extends AutomationDeclaration<Setting, Constant> {
  readonly pumps: readonly Pump[];
  readonly reads: readonly Signal[];
  readonly trigger: DosingAutomation['trigger'];
  readonly density?: DensityTarget<NoInfer<Setting>>;
  readonly settleS?: number;
  readonly warning?: string;
  readonly fresh: State;
  /** The state in what was stored; undefined when there is none. */
  restore(memory: Json): State | undefined;
  step(
    state: State,
    look: DosingLook<Setting, Constant, Signal>,
  ): { readonly state: State; readonly decision: DosingDecision };
}

/** Makes an automation of a pure rule. */
export function dosingAutomation<
  Setting extends string,
  Constant extends string,
  Signal extends DosingSignal,
  State extends Json,
>(rule: DosingRule<Setting, Constant, Signal, State>): DosingAutomation {
  const { fresh, restore, step, ...declaration } = rule;
  return {
    ...declaration,
    begin: (memory) => {
      let state = (memory === undefined ? undefined : restore(memory)) ?? fresh;
      return {
        step: (look) => {
          const taken = step(state, look);
          state = taken.state;
          return taken.decision;
        },
        get memory() {
          return state;
        },
      };
    },
  };
}

/** For rules that remember nothing. */
export const forgetful = { fresh: null, restore: () => null } as const;

/** Minutes between two looks; a setting of every automation that looks by the clock. */
export const period = (label: string, minutes: number) =>
  ({ label, unit: 'min', default: minutes, min: 0.01, max: 100_000 }) as const;

export const volume = (label: string, ml: number) => ({ label, unit: 'mL', default: ml, min: 0, max: 100 }) as const;

/** Option of automations that look by the clock: the first look comes after a whole period. */
export const skipFirstRun = { skip_first_run: { type: 'boolean' } } as const;

/** Volumes in sentences: nobody measures better. */
export const inMl = (ml: number): string => `${Math.round(1000 * ml) / 1000} mL`;
