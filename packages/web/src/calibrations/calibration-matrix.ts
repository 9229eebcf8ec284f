import { type Blank, type CalibrationSummary, dayMs } from '@lcs/contract';
import { deviceWords, roughSpanText } from '@lcs/domain';
import { digitsText, fixedText, roundText } from '../ui/number-text.ts';
import { calibrationsWords } from '../words/calibrations.ts';
import { commonWords } from '../words/common.ts';

const naturally = new Intl.Collator('en', { numeric: true });
/** Tubes of pumps wear and LEDs age: after this time a calibration should be made again. */
const oldAfterMs = 90 * dayMs;

/** What every unit can have; further devices are shown where a unit has a calibration of one. */
const usualDevices = ['media_pump', 'waste_pump', 'alt_media_pump', 'stirring', 'temperature', 'od90'];

/** Names of devices as titles of columns. */
export const deviceTitle = (device: string): string => {
  const words = deviceWords(device);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** The devices with a column, pumps first. */
export function matrixDevices(all: readonly Pick<CalibrationSummary, 'device'>[]): readonly string[] {
  const others = [...new Set(all.map(({ device }) => device))].filter((device) => !usualDevices.includes(device));
  return [...usualDevices, ...others.sort(naturally.compare)];
}

/** Units of the axes that have one. */
const quantityUnits: Readonly<Record<string, string>> = { Volume: ' mL', RPM: ' RPM', Probe: ' °C' };

const short = (value: number): string => digitsText(value, 2);

/** `0.096–1.9 mL` */
export function rangeText(range: CalibrationSummary['range']): string | null {
  if (range === null) return null;
  const { quantity, low, high } = range;
  const unit = quantityUnits[quantity] ?? '';
  return low === high ? `${short(low)}${unit}` : `${short(low)}–${short(high)}${unit}`;
}

/** The distance of the points from the curve: `±0.1 °C` for temperatures, `±2 %` for the others. */
export function scatterText({
  device,
  residual,
  scatter,
}: Pick<CalibrationSummary, 'device' | 'residual' | 'scatter'>): string | null {
  if (device === 'temperature') return residual === null ? null : `±${fixedText(residual, 1)} °C`;
  if (scatter === null) return null;
  const percent = 100 * scatter;
  // A computed calibration: its points are on the line.
  if (percent < leastPercent) return null;
  return `±${percent < 10 ? roundText(percent, 1) : Math.round(percent)} %`;
}

/** Share of the mean: points that scatter more do not belong to one curve. */
const mostScatter = 0.1;

const leastPercent = 0.05;

/** What a cell shows about one device of a unit. */
export interface CalibrationCell {
  readonly state: 'good' | 'old' | 'poor' | 'inactive' | 'none';
  /** The age, or what is missing. */
  readonly text: string;
  readonly details: readonly string[];
}

export function calibrationCell(ofDevice: readonly CalibrationSummary[], nowMs: number): CalibrationCell {
  const active = ofDevice.find(({ is_active }) => is_active);
  if (active === undefined) {
    if (ofDevice.length === 0) return { state: 'none', text: calibrationsWords.none, details: [] };
    return {
      state: 'inactive',
      text: calibrationsWords.noneActive,
      details: [calibrationsWords.countStored(ofDevice.length)],
    };
  }
  const ageMs = Math.max(0, nowMs - Date.parse(active.created_at));
  const text = ageMs < dayMs ? calibrationsWords.today : roughSpanText(ageMs);
  const facts = [scatterText(active), rangeText(active.range)].filter((fact) => fact !== null);
  if (active.scatter !== null && active.device !== 'temperature' && active.scatter > mostScatter)
    return { state: 'poor', text, details: [calibrationsWords.pointsScatter, ...facts] };
  if (ageMs > oldAfterMs) return { state: 'old', text, details: [calibrationsWords.olderThan90Days, ...facts] };
  return { state: 'good', text, details: facts };
}

/** The blank of a unit in its experiment; it is measured anew in each, so that it does not become old. */
export function blankCell(blank: Blank | undefined, nowMs: number): CalibrationCell {
  if (blank === undefined) return { state: 'inactive', text: calibrationsWords.none, details: [] };
  const { means, problems, measured_at, experiment } = blank;
  const ageMs = Math.max(0, nowMs - Date.parse(measured_at));
  const values = Object.values(means).map((volts) => `${digitsText(volts, 3)} V`);
  return {
    state: problems.length === 0 ? 'good' : 'poor',
    text: ageMs < dayMs ? calibrationsWords.today : roughSpanText(ageMs),
    details: [
      ...(problems.length === 0 ? [] : [calibrationsWords.keptInSpiteOfWarning]),
      commonWords.textInPlace(values.join(', '), experiment),
    ],
  };
}

/** States of cells in the words of a sentence; a blank is measured anew in each experiment and does not become old. */
const stateWords: readonly (readonly [states: readonly CalibrationCell['state'][], words: string, ofBlanks: string])[] =
  [
    [['good'], commonWords.upToDate, calibrationsWords.blankMeasured],
    [['old'], calibrationsWords.olderThan90Days, calibrationsWords.blankOld],
    [['poor'], calibrationsWords.withScatteredPoints, calibrationsWords.keptInSpiteOfWarning],
    [['none', 'inactive'], calibrationsWords.missing, calibrationsWords.missing],
  ];

function counted(cells: readonly CalibrationCell[], areBlanks: boolean): string {
  const parts = stateWords.flatMap(([states, words, ofBlanks]) => {
    const number = cells.filter(({ state }) => states.includes(state)).length;
    return number > 0 ? [`${number} ${areBlanks ? ofBlanks : words}`] : [];
  });
  return parts.join(', ');
}

/** The sentence above the matrix: what must be done, for all of its cells. */
export function matrixSentence(cells: readonly CalibrationCell[], blanks: readonly CalibrationCell[]): string {
  const parts = [
    [calibrationsWords.activeCalibrations, counted(cells, false)],
    [calibrationsWords.blanks, counted(blanks, true)],
  ] as const;
  return parts.flatMap(([what, text]) => (text === '' ? [] : [`${what}: ${text}.`])).join(' ');
}
