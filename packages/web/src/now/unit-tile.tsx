import type { LiveJob } from '@lcs/contract';
import { flagDescriptions, roughSpanText } from '@lcs/domain';
import { Link } from '@tanstack/react-router';
import { lazy, memo, Suspense, useMemo } from 'react';
import { jobsOfUnit } from '../experiments/running-units.ts';
import type { BiomassTarget } from '../jobs/biomass-target.ts';
import { HeldJobs } from '../jobs/held-jobs.tsx';
import { LackingJobs } from '../jobs/lacking-jobs.tsx';
import type { LatestReading, UnitLatest } from '../latest/latest-store.ts';
import { useUnitLatest } from '../latest/use-latest.tsx';
import { useJobDescriptors } from '../services/queries.ts';
import { useAlarmsOfUnit, useHeldJobsOfUnit, useJobsOfUnit, useStatusOfUnit } from '../services/use-by-unit.ts';
import { useLastKnown, useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { isInFuture } from '../time/future.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { fixedText } from '../ui/number-text.ts';
import { doubtOf, isUncertain, isUnfounded, oldNote, ownAge } from '../units/reading-note.ts';
import { useKnownAt } from '../units/use-known-at.ts';
import { commonWords } from '../words/common.ts';
import { nowWords } from '../words/now.ts';
import { startWords } from '../words/start.ts';
import { drawSparkline } from './sparkline-path.ts';
import {
  alarmText,
  doseText,
  isPumped,
  jobDots,
  odKind,
  smallKinds,
  type TileKind,
  targetOf,
  targetText,
  worstAlarm,
} from './tile-values.ts';
import styles from './unit-tile.module.css';

/** Loaded where a profile runs. */
const ProfileLines = lazy(() => import('./profile-lines.tsx').then((module) => ({ default: module.ProfileLines })));

const none: ReadonlyMap<string, LatestReading> = new Map();
const noJobs: readonly LiveJob[] = [];

interface ValueProps {
  readonly kind: TileKind;
  /** The newest of the unit. */
  readonly readings: ReadonlyMap<string, LatestReading>;
  /** The jobs of the unit in its experiment. */
  readonly jobs: readonly LiveJob[];
  /** The time of an earlier response that the values are of; empty: they are current. */
  readonly knownAt: string;
}

/** A number; grey when it may no longer be true, with the reason beside it. */
function Value({ kind, readings, jobs, knownAt }: ValueProps) {
  const reading = readings.get(kind.source);
  const uncertain = isUncertain(kind.source, readings);
  const grey = uncertain || isUnfounded(kind.source, jobs);
  const nowMs = useLeaderNow();
  const old = useTicking(() => oldNote({ source: kind.source, reading, jobs, knownAt }, nowMs()));
  // The head of the tile has the time of the last response.
  const note = old === knownAt ? '' : old;
  const doubt =
    old !== '' || reading === undefined
      ? ''
      : uncertain
        ? startWords.notKnownYet
        : doubtOf(kind.source, jobs, reading.y);
  const age = useTicking(() => (reading === undefined ? '' : ownAge(kind.source, reading, nowMs())));
  return (
    <div className={styles.value} data-old={old !== '' || reading === undefined || grey}>
      <dt>{kind.title}</dt>
      <dd>
        <span className={styles.number}>{reading === undefined ? '–' : fixedText(reading.y, kind.decimals)}</span>
        {kind.unit !== '' && reading !== undefined && <span className={styles.unit}> {kind.unit}</span>}
        {note !== '' && <span className={styles.note}> {note}</span>}
        {old === '' && age !== '' && <span className={styles.note}> {age}</span>}
        {doubt !== '' && <span className={styles.doubt}> {doubt}</span>}
      </dd>
    </div>
  );
}

const box = { width: 150, height: 46 };

/** The course of the OD with the target; the numbers beside it say the same. */
const Sparkline = memo(function Sparkline({
  means,
  target,
}: {
  readonly means: readonly (number | null)[] | undefined;
  readonly target: number | null;
}) {
  const { path, targetY, end } = useMemo(() => drawSparkline(means ?? [], target, box), [means, target]);
  return (
    <svg className={styles.sparkline} viewBox={`0 0 ${box.width} ${box.height}`} aria-hidden="true">
      {targetY !== null && <line className={styles.target} x1={0} x2={box.width} y1={targetY} y2={targetY} />}
      <path className={styles.line} d={path} />
      {end !== null && <circle className={styles.end} cx={end.x} cy={end.y} r={2.5} />}
    </svg>
  );
});

/** The jobs that are not off, each as a mark of its state with its name, and its state in words where it is not on. */
function Jobs({ jobs }: { readonly jobs: readonly LiveJob[] }) {
  const lastKnown = useLastKnown();
  const { data: descriptors = [] } = useJobDescriptors();
  const dots = useMemo(() => jobDots(jobs, descriptors), [jobs, descriptors]);
  if (dots.length === 0) {
    const idle = nowWords.nothingRuns;
    return (
      <span className={styles.idle}>{lastKnown === null ? idle : commonWords.textLastKnown(lastKnown, idle)}</span>
    );
  }
  return (
    <ul className={styles.jobs} aria-label={commonWords.jobs}>
      {dots.map(({ name, phase, title, state }) => {
        const text = `${title}: ${lastKnown === null ? state : commonWords.textAtTime(state, lastKnown)}`;
        return (
          <li key={name} className={styles.job} title={text} data-past={lastKnown !== null || undefined}>
            <span className={styles.dot} data-phase={lastKnown === null ? phase : 'unknown'} aria-hidden="true" />
            <span>{state === 'on' && lastKnown === null ? title : text}</span>
          </li>
        );
      })}
    </ul>
  );
}

interface DoseProps {
  readonly latest: UnitLatest | undefined;
  readonly jobs: readonly LiveJob[];
}

function Dose({ latest, jobs }: DoseProps) {
  const nowMs = useLeaderNow();
  const dose = latest?.lastDose ?? null;
  const text = useTicking(() => {
    if (dose === null) return '';
    const atMs = Date.parse(dose.at);
    if (isInFuture(atMs, nowMs())) return nowWords.lastDose(doseText(dose), nowWords.timeInFuture);
    if (isPumped(dose, jobs, nowMs())) return nowWords.pumping(doseText(dose));
    return nowWords.lastDose(doseText(dose), commonWords.ago(roughSpanText(nowMs() - atMs)));
  });
  return text === '' ? null : <p className={styles.dose}>{text}</p>;
}

function WorstAlarm({ unit }: { readonly unit: string }) {
  const alarm = worstAlarm(useAlarmsOfUnit(unit), unit);
  const held = useHeldJobsOfUnit(unit);
  if (alarm === undefined) return null;
  return (
    <p className={styles.alarm} data-severity={alarm.severity} data-active={alarm.is_active}>
      <WarningIcon size={14} /> {alarmText(alarm, held)}
    </p>
  );
}

interface UnitTileProps {
  readonly unit: string;
  readonly experiment: string;
  /** Beside the name, where units of several experiments are shown. */
  readonly showsExperiment: boolean;
  /** The course of the OD, and of the OD as a multiple of its start. */
  readonly odMeans: readonly (number | null)[] | undefined;
  readonly normalisedMeans: readonly (number | null)[] | undefined;
  readonly picture: string | undefined;
  /** Whether a profile runs in its experiment. */
  readonly hasProfile: boolean;
}

const isNormalised = (target: BiomassTarget | null): boolean => target?.signal === 'normalized_od';

/** One unit: its values, its course, what it does and what is wrong. */
export const UnitTile = memo(function UnitTile({
  unit,
  experiment,
  showsExperiment,
  odMeans,
  normalisedMeans,
  picture,
  hasProfile,
}: UnitTileProps) {
  const latest = useUnitLatest(unit);
  const all = useJobsOfUnit(unit);
  const status = useStatusOfUnit(unit);
  const knownAt = useKnownAt(status);
  const leaderAway = useLastKnown();
  const jobs = useMemo(() => jobsOfUnit(all, unit, experiment), [all, unit, experiment]);
  const target = targetOf(jobs);
  const readings = latest?.readings;
  const flags = readings?.get('od')?.flags ?? [];
  const value = (kind: TileKind) => (
    <Value key={kind.source} kind={kind} readings={readings ?? none} jobs={jobs} knownAt={knownAt} />
  );
  const name = latest?.label ?? unit;
  return (
    <li className={styles.tile} data-unit={unit} data-past={knownAt !== ''}>
      <div className={styles.head}>
        <h2 className={styles.name}>
          <Link to="/units/$unit" params={{ unit }} className={styles.link}>
            {name}
          </Link>
        </h2>
        {knownAt !== '' && <span className={styles.known}>{knownAt}</span>}
      </div>
      {(showsExperiment || name !== unit) && (
        <p className={styles.about}>
          {[name === unit ? null : unit, showsExperiment ? experiment : null].filter(Boolean).join(' · ')}
        </p>
      )}
      <div className={styles.main}>
        <dl className={styles.od}>{value(odKind)}</dl>
        <div className={styles.course}>
          <Sparkline means={isNormalised(target) ? normalisedMeans : odMeans} target={target?.value ?? null} />
          {target !== null && <span className={styles.targetText}>{targetText(target)}</span>}
        </div>
      </div>
      {flags.length > 0 && (
        <p className={styles.flags}>{flags.map((flag) => flagDescriptions[flag].title).join(', ')}</p>
      )}
      <dl className={styles.values}>
        {smallKinds.map((kind) => (kind.isOptional && !readings?.has(kind.source) ? null : value(kind)))}
      </dl>
      {(knownAt === '' || leaderAway !== null) && <Jobs jobs={jobs} />}
      {knownAt === '' && <LackingJobs jobs={jobs} />}
      <HeldJobs unit={unit} experiment={experiment} />
      {hasProfile && (
        <Suspense>
          <ProfileLines experiment={experiment} unit={unit} />
        </Suspense>
      )}
      <Dose latest={latest} jobs={knownAt === '' ? jobs : noJobs} />
      <WorstAlarm unit={unit} />
      {picture !== undefined && (
        <img className={styles.picture} src={picture} alt={commonWords.vialOf(name)} loading="lazy" />
      )}
    </li>
  );
});
