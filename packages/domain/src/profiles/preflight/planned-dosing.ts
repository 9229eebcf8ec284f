import type { Json, PlannedAction } from '@lcs/contract';
import { ownValue } from '@lcs/contract/own-value';
import { plannedValue } from '../planned-value.ts';
import type { ProfileValues } from '../profile.ts';

/** What is pumped at least, mL. */
export type PumpedMl = Readonly<Record<'media' | 'alt_media' | 'waste', number>>;

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

interface Dosing {
  readonly sinceS: number;
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
  readonly #inputs: ProfileValues;
  #dosing: Dosing | undefined;

  constructor(inputs: ProfileValues) {
    this.#inputs = inputs;
  }

  take(action: PlannedAction, certain: boolean): void {
    if (action.job_name === 'dosing_automation') this.#takeAutomation(action, certain);
    else if (action.action === 'start' && certain) this.#takeDose(action);
  }

  /** What the automation has pumped until then. A dose is due after each period. */
  until(atS: number): Dosing | undefined {
    const dosing = this.#dosing;
    const dose = dosing && fixedDose(dosing.automation, dosing.values, this.#inputs);
    if (dosing && dose) {
      const doses = Math.floor((atS - dosing.sinceS) / (60 * dose.periodMin));
      this.pumpedMl.media += doses * dose.volumeMl;
      if (dose.hasWaste) this.pumpedMl.waste += doses * dose.volumeMl;
    }
    this.#dosing = undefined;
    return dosing;
  }

  #takeAutomation(action: PlannedAction, certain: boolean): void {
    const { action: type, at_s: sinceS } = action;
    if (type === 'log' || type === 'repeat' || type === 'when') return;
    const before = this.until(sinceS);
    // Whether it doses from here on is not known.
    if (!certain) return;
    const automation = plannedValue(optionOf(action, 'automation_name'), this.#inputs);
    if (type === 'start' && typeof automation === 'string')
      this.#dosing = { sinceS, automation, values: named(action) };
    if (type === 'update' && before)
      this.#dosing = { ...before, sinceS, values: { ...before.values, ...named(action) } };
  }

  #takeDose(action: PlannedAction): void {
    const pump = ownValue(pumpOfJob, action.job_name);
    const ml = plannedNumber(optionOf(action, 'ml'), this.#inputs);
    if (pump !== undefined && ml !== undefined) this.pumpedMl[pump] += Math.max(0, ml);
  }
}

const pumpOfJob = { add_media: 'media', add_alt_media: 'alt_media', remove_waste: 'waste' } as const;

/** What the actions of a unit pump at least until the last one of them. */
export function leastPumped(actions: readonly PlannedAction[], inputs: ProfileValues): PumpedMl {
  const byPath = new Map(actions.map((action) => [action.path, action]));
  const total = new DosingTotal(inputs);
  for (const action of actions) total.take(action, isCertain(action, byPath));
  total.until(actions.at(-1)?.at_s ?? 0);
  return total.pumpedMl;
}
