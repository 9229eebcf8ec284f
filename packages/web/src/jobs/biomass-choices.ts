import type { BiomassScale, BiomassSignalName, BiomassSignals } from '@lcs/contract';
import {
  biomassScale,
  biomassScaleSetting,
  biomassScales,
  biomassSignalNames,
  biomassSignalSetting,
  dosingAutomations,
  isBiomassScale,
} from '@lcs/domain';
import { digitsText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { startWords } from '../words/start.ts';

/** The biomass signals that a unit reports; `undefined`: not reported yet. */
export interface UnitSignals {
  /** Its label. */
  readonly unit: string;
  readonly signals: BiomassSignals | undefined;
}

/** A signal to choose: it is the scale of a target. */
export interface BiomassChoice {
  readonly signal: BiomassSignalName;
  readonly scale: BiomassScale;
  readonly label: string;
  /** The unit of measurement. */
  readonly unit: string;
  readonly help: string;
  /** The newest value of each unit, as text. */
  readonly now: string;
  /** Why it cannot be chosen; `null`: it can. */
  readonly missing: string | null;
}

const shown = (value: number): string => digitsText(value, 3);

function scalesOf(signal: BiomassSignalName, units: readonly UnitSignals[]) {
  return units.map(({ unit, signals }) => ({
    unit,
    isKnown: signals !== undefined,
    own: signals?.signals.find((each) => each.signal === signal),
  }));
}

function missingOf(scales: ReturnType<typeof scalesOf>): string | null {
  const without = scales.filter(({ isKnown, own }) => isKnown && own === undefined).map(({ unit }) => unit);
  if (without.length > 0) return startWords.notMeasuredBy(without.join(', '));
  const known = scales.flatMap(({ unit, own }) => (own === undefined ? [] : [{ unit, scale: own.scale }]));
  if (new Set(known.map(({ scale }) => scale)).size < 2) return null;
  const scaleTexts = known.map(({ unit, scale }) => `${unit}: ${biomassScales[scale].label}`);
  return startWords.scalesDiffer(scaleTexts.join(', '));
}

/** The signals of some units, for a person who chooses the scale of a target. */
export function biomassChoices(units: readonly UnitSignals[]): readonly BiomassChoice[] {
  return biomassSignalNames.flatMap((signal) => {
    const scales = scalesOf(signal, units);
    const isNowhere = scales.every(({ own }) => own === undefined);
    // A unit has an estimator only when it reports one.
    if (isNowhere && (signal === 'od_fused' || scales.some(({ isKnown }) => isKnown))) return [];
    const scale = scales.find(({ own }) => own !== undefined)?.own?.scale ?? biomassScale(signal, false) ?? 'od';
    const { label, unit, help } = biomassScales[scale];
    const now = scales
      .map(({ unit: name, isKnown, own }) => {
        const value = own?.value ?? null;
        return `${name} ${value !== null ? shown(value) : isKnown ? commonWords.noReading : startWords.notKnownYet}`;
      })
      .join(', ');
    return [{ signal, scale, label, unit, help, now, missing: missingOf(scales) }];
  });
}

/** The signal that a target is a number of; `chosen`: the one that the start names. */
export function signalOfTarget(automation: string, field: string): 'chosen' | 'normalized_od' | null {
  const density = dosingAutomations.find(({ name }) => name === automation)?.density;
  if (density?.setting !== field) return null;
  return density.signal === 'biomass' ? 'chosen' : density.signal;
}

const targets: ReadonlySet<string> = new Set(dosingAutomations.flatMap(({ density }) => density?.setting ?? []));

const scaleOfSignal = (signal: unknown): BiomassScale | undefined =>
  typeof signal === 'string' ? biomassScale(signal, true) : undefined;

/** Of a running job, or the options of a start. */
type Settings = Readonly<Record<string, unknown>>;

/** The scale of a target while its job runs; null: it is not known; `undefined`: the setting is no density. */
export function scaleOfTarget(setting: string, settings: Settings): BiomassScale | null | undefined {
  if (!targets.has(setting)) return undefined;
  const { [biomassScaleSetting]: published, [biomassSignalSetting]: signal } = settings;
  if (isBiomassScale(published)) return published;
  if (signal === undefined) return 'normalized_od';
  // A unit of an older version does not publish whether its OD is calibrated.
  return signal === 'od' ? null : (scaleOfSignal(signal) ?? null);
}

/** The unit of a target while it runs; `undefined`: the setting is no density. */
export function unitOfTarget(setting: string, settings: Settings): string | undefined {
  const scale = scaleOfTarget(setting, settings);
  return scale === null ? '' : scale && biomassScales[scale].unit;
}

/** The label of a published signal. */
export const signalLabel = (signal: string): string => {
  if (signal === 'od') return 'OD';
  const scale = scaleOfSignal(signal);
  return scale === undefined ? signal : biomassScales[scale].label;
};
