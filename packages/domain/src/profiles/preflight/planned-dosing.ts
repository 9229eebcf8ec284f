import type { Json, PlannedAction } from '@lcs/contract';
import { ownValue } from '@lcs/contract/own-value';
import { chemostat, chemostatPumpedMl } from '../../automations/chemostat.ts';
import { exchangeParts } from '../../dosing/wash-out.ts';
import { plannedValue } from '../planned-value.ts';
import type { ProfileValues } from '../profile.ts';

/** What is pumped at least, mL. */
export type PumpedMl = Readonly<Record<'media' | 'alt_media' | 'waste', number>>;

/**
 * Exchanges that verify by their effect that waste leaves are larger, and replace later ones: for the same wash-out they need so much
 * more medium (1.3 to 2.5 % in simulated days of chemostats with a reading every 30 to 120 s), and the last one may be ahead of its time.
 */
const verification = { share: 0.03, largestMl: 1.5 } as const;

/** What exchanges that verify the waste need beyond the least volume of exchanges. */
export const moreToVerify = (exchangedMl: number): number =>
  exchangedMl > 0 ? verification.share * exchangedMl + verification.largestMl : 0;

export function plannedNumber(value: Json | undefined, inputs: ProfileValues): number | undefined {
  const planned = plannedValue(value, inputs);
  return typeof planned === 'number' && Number.isFinite(planned) ? planned : undefined;
}

/** An option of an action by its name, which may be written with `-`. */
export const optionOf = ({ options }: Pick<PlannedAction, 'options'>, name: string): Json | undefined =>
  Object.entries(options).find(([key]) => key.replaceAll('-', '_') === name)?.[1];

/** Whether no condition, wait or loop decides about an action: `certain` ones are done at their planned time. */
export function isCertain(action: PlannedAction, byPath: ReadonlyMap<string, PlannedAction>): boolean {
  if (action.condition !== null) return false;
  if (action.depends_on === null) return true;
  const parent = byPath.get(action.depends_on);
  return parent?.action === 'repeat' && isCertain(parent, byPath);
}

/** The vial of a unit; undefined volume: not known. */
export interface PlannedVial {
  readonly volumeMl: number | undefined;
  readonly maxSubdoseMl: number;
  readonly evaporationMlPerHour: number;
}

/** From the start of an automation to its first dose. */
const firstDoseS = 2;

interface Dosing {
  readonly sinceS: number;
  /** When it dosed last, or would have without `skip_first_run`; undefined: not yet. */
  readonly lastS: number | undefined;
  readonly automation: string;
  readonly values: Readonly<Record<string, Json>>;
}

/** The automations that pump fixed volumes at fixed intervals, whatever they read. */
const fixedDoses: Readonly<Record<string, { readonly volume: string; readonly hasWaste: boolean }>> = {
  chemostat: { volume: 'exchange_volume_ml', hasWaste: true },
  fed_batch: { volume: 'dosing_volume_ml', hasWaste: false },
};

/** Volume of one dose and minutes between two; undefined: they follow from readings, or are not known before the run. */
export function fixedDose(
  automation: Json | undefined,
  values: Readonly<Record<string, Json>>,
  inputs: ProfileValues,
): { readonly volumeMl: number; readonly periodMin: number; readonly hasWaste: boolean } | undefined {
  const fixed = typeof automation === 'string' ? ownValue(fixedDoses, automation) : undefined;
  const volumeMl = fixed && plannedNumber(values[fixed.volume], inputs);
  const periodMin = plannedNumber(values.duration, inputs);
  if (fixed === undefined || volumeMl === undefined || periodMin === undefined || periodMin <= 0) return undefined;
  return { volumeMl, periodMin, hasWaste: fixed.hasWaste };
}

const named = ({ options }: PlannedAction): Record<string, Json> =>
  Object.fromEntries(Object.entries(options).map(([key, value]) => [key.replaceAll('-', '_'), value]));

/** Adds up what the certain actions of one unit pump at least. What readings decide about counts as nothing. */
class DosingTotal {
  readonly pumpedMl = { media: 0, alt_media: 0, waste: 0 };
  /** The part of it that automations exchange. */
  exchangedMl = 0;
  readonly #inputs: ProfileValues;
  readonly #vial: PlannedVial;
  #dosing: Dosing | undefined;

  constructor(inputs: ProfileValues, vial: PlannedVial) {
    this.#inputs = inputs;
    this.#vial = vial;
  }

  take(action: PlannedAction, certain: boolean): void {
    if (action.job_name === 'dosing_automation') this.#takeAutomation(action, certain);
    else if (action.action === 'start' && certain) this.#takeDose(action);
  }

  /** What the automation has pumped until then; it may go on with other values. */
  until(atS: number): Dosing | undefined {
    const dosing = this.#dosing;
    this.#dosing = undefined;
    const dose = dosing && fixedDose(dosing.automation, dosing.values, this.#inputs);
    if (dosing === undefined || dose === undefined) return dosing;
    const periodS = 60 * dose.periodMin;
    const { sinceS, lastS } = dosing;
    const firstS = lastS === undefined ? sinceS + firstDoseS : Math.max(sinceS, lastS + periodS);
    const doses = Math.max(0, Math.ceil((atS - firstS) / periodS));
    const pumpedMl = doses * this.#pumpedMl(dosing, dose);
    this.pumpedMl.media += pumpedMl;
    if (dose.hasWaste) {
      this.pumpedMl.waste += pumpedMl;
      this.exchangedMl += pumpedMl;
    }
    return doses === 0 ? dosing : { ...dosing, lastS: firstS + (doses - 1) * periodS };
  }

  /** A chemostat pumps somewhat more than its exchange volume. */
  #pumpedMl(
    { automation, values }: Dosing,
    { volumeMl: exchangeMl, periodMin: everyMin }: { readonly volumeMl: number; readonly periodMin: number },
  ): number {
    const { maxSubdoseMl, evaporationMlPerHour } = this.#vial;
    const volumeMl = plannedNumber(values.current_volume_ml, this.#inputs) ?? this.#vial.volumeMl;
    if (automation !== chemostat.name || volumeMl === undefined) return exchangeMl;
    const partsFor = (addedMl: number): number => exchangeParts(addedMl, maxSubdoseMl);
    return chemostatPumpedMl({ exchangeMl, everyMin }, { volumeMl, evaporationMlPerHour, partsFor });
  }

  #takeAutomation(action: PlannedAction, certain: boolean): void {
    const { action: type, at_s: sinceS } = action;
    if (type === 'log' || type === 'repeat' || type === 'when') return;
    const before = this.until(sinceS);
    // Whether it doses from here on is not known.
    if (!certain) return;
    const automation = plannedValue(optionOf(action, 'automation_name'), this.#inputs);
    if (type === 'start' && typeof automation === 'string')
      this.#dosing = {
        sinceS,
        lastS: this.#skipsFirst(action) ? sinceS : undefined,
        automation,
        values: named(action),
      };
    if (type === 'update' && before)
      this.#dosing = { ...before, sinceS, values: { ...before.values, ...named(action) } };
  }

  #skipsFirst(action: PlannedAction): boolean {
    const skips = plannedValue(optionOf(action, 'skip_first_run'), this.#inputs);
    return skips !== undefined && skips !== false;
  }

  #takeDose(action: PlannedAction): void {
    const pump = ownValue(pumpOfJob, action.job_name);
    const ml = plannedNumber(optionOf(action, 'ml'), this.#inputs);
    if (pump !== undefined && ml !== undefined) this.pumpedMl[pump] += Math.max(0, ml);
  }
}

const pumpOfJob = { add_media: 'media', add_alt_media: 'alt_media', remove_waste: 'waste' } as const;

/** What the actions of a unit pump at least until the last one of them. */
export function leastPumped(
  actions: readonly PlannedAction[],
  inputs: ProfileValues,
  vial: PlannedVial,
): PumpedMl & { readonly exchanged: number } {
  const byPath = new Map(actions.map((action) => [action.path, action]));
  const total = new DosingTotal(inputs, vial);
  for (const action of actions) total.take(action, isCertain(action, byPath));
  total.until(actions.at(-1)?.at_s ?? 0);
  return { ...total.pumpedMl, exchanged: total.exchangedMl };
}
