import {
  closeReadings,
  type DoseEvidence,
  densityByDoses,
  disturbanceOf,
  evidenceAfresh,
  evidenceStep,
  type NoiseProfile,
  needsCloseReadings,
  noEvidence,
  pumpDeviation,
  type SeededStream,
  wasteCheck,
  withDisturbanceAccepted,
} from '@lcs/domain';
import { probeOf, WasteProbes } from '../../../packages/unit/src/jobs/dosing-automation/waste-probes.ts';
import type { SignalDisturbance } from './signal-disturbances.ts';

const hourS = 3600;
const volumeMl = 15;
const capacityMl = 20;

type PumpFault = 'media_blocked' | 'media_air' | 'waste_blocked';

/** A turbidostat at a relative density of 1 in 15 ml: the truth, and how it is read. */
export interface DosingCourse {
  readonly chance: SeededStream;
  readonly untilS: number;
  readonly everyS: number;
  readonly exchangeMl: number;
  readonly noise: NoiseProfile;
  readonly disturbance: SignalDisturbance;
  /** Growth rate, h⁻¹; to be asked in order of time. */
  readonly rate: (timeS: number) => number;
  /** Flow of the media pump relative to its calibration. */
  readonly factor: (timeS: number) => number;
  /** Relative standard deviation of single doses. */
  readonly doseSpread: number;
  /** Share of the doses that scatter three times as much. Default: 3 %, chosen. */
  readonly wideShare?: number;
  /** Begins at a time, and lasts. */
  readonly fault?: { readonly kind: PumpFault; readonly fromS: number };
}

export interface DosingFinding {
  readonly what: 'missing' | 'irregular' | 'waste_blocked' | 'wrong_volume';
  readonly timeS: number;
  /** Doses since the fault. */
  readonly doses: number;
  readonly spilledMl: number;
}

export interface DosingResult {
  /** Each is followed by a resume. */
  readonly findings: readonly DosingFinding[];
  readonly doses: number;
  readonly probes: number;
  /** Exchanges of which the check said that it cannot tell whether waste leaves. */
  readonly unverifiable: number;
  /** Share of the time within 5 % of the target. */
  readonly held: number;
  readonly spilledMl: number;
  /** Readings beside those of the interval, for each of those. */
  readonly extraReadings: number;
}

/** Until fresh medium is mixed in, and from a dose to the next evaluation: as in the job. */
const mixingS = 10;
const settleS = 30;
const flowMlPerS = 0.09;
/** A reported factor is false when it is off by more than this. Chosen. */
const factorOff = 0.1;

/** What the evidence of the doses makes of a course, with the decisions of the job `dosing_automation`. */
export function dosingResult(course: DosingCourse, stopsWhenFound = false): DosingResult {
  const { chance, untilS, everyS, exchangeMl, noise, disturbance, fault, wideShare = 0.03 } = course;
  const [white, slow, shocks, scatter] = [0, 1, 2, 3].map((part) => chance.split(`course ${part}`));
  if (!white || !slow || !shocks || !scatter) throw new Error('a stream is missing');
  const probes = new WasteProbes();
  const findings: DosingFinding[] = [];
  let evidence: DoseEvidence = noEvidence;
  let [level, volume, dose, faulty, probeCount, unverifiable, spilledMl] = [-0.03, volumeMl, 0, 0, 0, 0, 0];
  let [wander, atS, freeS, mixedS, heldCount, readingCount, extraCount, reported] = [
    slow.normal(),
    0,
    0,
    0,
    0,
    0,
    0,
    1,
  ];
  const next = { exchangeMl, volumeMl, capacityMl };
  const found = (what: DosingFinding['what'], timeS: number): void => {
    findings.push({ what, timeS, doses: faulty, spilledMl });
    if (what === 'wrong_volume') return;
    evidence = evidenceAfresh(withDisturbanceAccepted(evidence));
    probes.reset();
  };
  const isOver = (): boolean => stopsWhenFound && findings.some(({ what }) => what !== 'wrong_volume');
  /** False: a disturbance was found. */
  const read = (timeS: number, extra = false): boolean => {
    const elapsedS = timeS - atS;
    atS = timeS;
    level += (course.rate(timeS) * elapsedS) / hourS;
    const stays = Math.exp(-elapsedS / noise.slowTimeS);
    wander = stays * wander + Math.sqrt(1 - stays * stays) * slow.normal();
    const isShocked = shocks.chance(noise.shockChance);
    const shock = isShocked ? noise.shockDeviations * (shocks.chance(0.5) ? 1 : -1) : 0;
    const deviations = Math.sqrt(1 - noise.slowShare) * white.normal() + Math.sqrt(noise.slowShare) * wander + shock;
    const signal = 1 + noise.readingDeviation * deviations + disturbance(timeS);
    if (signal <= 0 || timeS < mixedS) return true;
    const reading = { kind: 'reading', hours: timeS / hourS, logDensity: level + Math.log(signal), extra } as const;
    evidence = evidenceStep(evidence, reading);
    const proven = disturbanceOf(evidence);
    if (proven !== undefined) found(proven.disturbance, timeS);
    const factor = pumpDeviation(evidence, 'media', reported);
    if (factor !== undefined) {
      reported = factor;
      if (Math.abs(factor - course.factor(timeS)) > factorOff) found('wrong_volume', timeS);
    }
    return proven === undefined;
  };
  /** Extra readings from a time on; false: they found a fault. */
  const readClosely = (fromS: number): boolean => {
    for (let index = 0; index < closeReadings.count; index += 1) {
      extraCount += 1;
      if (!read(fromS + (index * closeReadings.everyMs) / 1000, true)) return false;
    }
    if (wasteCheck(evidence, next).kind !== 'blocked') return true;
    found('waste_blocked', atS);
    return false;
  };
  for (let gridS = 0; gridS < untilS && !isOver(); gridS += everyS) {
    readingCount += 1;
    if (Math.abs(level) < 0.05) heldCount += 1;
    // Taken among the extra ones.
    if (gridS < atS) continue;
    let timeS = gridS;
    read(timeS);
    if (isOver()) break;
    const density = densityByDoses(evidence) ?? 0;
    if (timeS < mixedS || timeS < freeS || density < 1 || probes.isAhead(exchangeMl, volumeMl)) continue;
    const check = wasteCheck(evidence, next);
    if (check.kind === 'blocked') {
      found('waste_blocked', timeS);
      if (stopsWhenFound) break;
    }
    if (check.kind === 'unverifiable') unverifiable += 1;
    const isShown = check.kind !== 'clear' && check.kind !== 'blocked' && needsCloseReadings(evidence);
    const probe = probeOf(check);
    if (probe !== undefined && !probes.begin(exchangeMl, probe, volumeMl, density)) continue;
    if (isShown && !readClosely(timeS + closeReadings.everyMs / 1000)) continue;
    timeS = atS;
    const probeMl = probes.takeVolumeMl();
    if (probeMl > 0) probeCount += 1;
    const addedMl = Math.max(exchangeMl, probeMl);
    dose += 1;
    const isFaulty = fault !== undefined && timeS >= fault.fromS;
    if (isFaulty) faulty += 1;
    const spread = course.doseSpread * (scatter.chance(wideShare) ? 3 : 1);
    const pumped = addedMl * Math.max(0, course.factor(timeS) * (1 + spread * scatter.normal()));
    const arrives =
      isFaulty && fault.kind === 'media_blocked'
        ? 0
        : isFaulty && fault.kind === 'media_air'
          ? 0.6 * scatter.uniform()
          : 1;
    level -= Math.log1p((arrives * pumped) / volume);
    volume += arrives * pumped;
    spilledMl += Math.max(0, volume - capacityMl);
    volume = isFaulty && fault.kind === 'waste_blocked' ? Math.min(volume, capacityMl) : volumeMl;
    const flowS = addedMl / flowMlPerS;
    mixedS = timeS + flowS + mixingS;
    freeS = timeS + 4 * flowS + settleS;
    const given = { pump: 'media', volumeMl, addedMl, drains: true, capacityMl } as const;
    evidence = evidenceStep(evidence, { kind: 'dose', hours: (timeS + flowS) / hourS, dose, ...given });
    if (isShown) readClosely(mixedS);
  }
  return {
    findings,
    doses: dose,
    probes: probeCount,
    unverifiable,
    held: heldCount / readingCount,
    spilledMl,
    extraReadings: extraCount / readingCount,
  };
}
