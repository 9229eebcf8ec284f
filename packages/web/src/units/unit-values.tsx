import type { Json, LiveJob } from '@lcs/contract';
import { flagDescriptions, roughSpanText } from '@lcs/domain';
import type { LatestReading } from '../latest/latest-store.ts';
import { useReadingsOf } from '../latest/use-latest.tsx';
import { dataAgeMs } from '../live/connection-state.ts';
import { useStatusOfUnit } from '../services/use-by-unit.ts';
import { useConnection } from '../services/use-connection.ts';
import { useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { isInFuture } from '../time/future.ts';
import { exactText, secondText } from '../time/moment-text.ts';
import { fixedText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { startWords } from '../words/start.ts';
import { unitsWords } from '../words/units.ts';
import { doubtOf, isUncertain, isUnfounded, oldNote, ownAge } from './reading-note.ts';
import styles from './unit-values.module.css';
import { useKnownAt } from './use-known-at.ts';

interface Kind {
  readonly source: string;
  readonly title: string;
  readonly unit: string;
  readonly decimals: number;
}

const kinds: readonly Kind[] = [
  { source: 'od', title: commonWords.od, unit: '', decimals: 3 },
  { source: 'growth_rate', title: commonWords.growth, unit: 'h⁻¹', decimals: 3 },
  { source: 'temperature', title: unitsWords.temperatureShort, unit: '°C', decimals: 1 },
  { source: 'stirring_rpm', title: commonWords.stirring, unit: 'RPM', decimals: 0 },
];

/** The setpoints of running jobs, by the source that is compared with them. */
export const targetsOf = (
  stirring: LiveJob | undefined,
  temperature: LiveJob | undefined,
): Readonly<Record<string, Json | undefined>> => ({
  stirring_rpm: stirring?.settings.target_rpm,
  temperature: temperature?.settings.target_temperature,
});

function Value({
  kind,
  readings,
  target,
  jobs,
  knownAt,
  hasTime,
}: {
  /** Shows when the reading was taken. */
  readonly hasTime: boolean;
  readonly kind: Kind;
  /** The newest of the unit. */
  readonly readings: ReadonlyMap<string, LatestReading>;
  /** The jobs of the unit in the experiment; undefined: not known yet. */
  readonly jobs: readonly LiveJob[] | undefined;
  /** When unit or leader answered last, if one of them is away; '': both answer. */
  readonly knownAt: string;
  readonly target: Json | undefined;
}) {
  const nowMs = useLeaderNow();
  const reading = readings.get(kind.source);
  const uncertain = isUncertain(kind.source, readings);
  const grey = uncertain || isUnfounded(kind.source, jobs);
  const note = useTicking(() => oldNote({ source: kind.source, reading, jobs, knownAt }, nowMs()));
  const doubt =
    reading === undefined || note !== ''
      ? ''
      : uncertain
        ? startWords.notKnownYet
        : doubtOf(kind.source, jobs, reading.y);
  const age = useTicking(() => (reading === undefined ? '' : ownAge(kind.source, reading, nowMs())));
  const flags = (reading?.flags ?? []).map((flag) => flagDescriptions[flag]);
  return (
    <div className={styles.value} data-old={reading === undefined ? 'missing' : note !== '' || grey}>
      <dt>
        {kind.title} {kind.unit}
      </dt>
      <dd>
        <span className={styles.number}>{reading === undefined ? '–' : fixedText(reading.y, kind.decimals)}</span>
        <span className={styles.note}>
          {reading === undefined
            ? commonWords.noReading
            : note ||
              [doubt || (typeof target === 'number' ? unitsWords.targetIs(target) : ''), age]
                .filter(Boolean)
                .join(', ')}
        </span>
        {hasTime && reading !== undefined && (
          <time className={styles.note} dateTime={new Date(reading.xMs).toISOString()} title={exactText(reading.xMs)}>
            {secondText(reading.xMs)}
          </time>
        )}
        {flags.length > 0 && (
          <span className={styles.flags} title={flags.map(({ meaning }) => meaning).join(' ')}>
            {flags.map(({ title }) => title).join(', ')}
          </span>
        )}
      </dd>
    </div>
  );
}

/** The latest readings of a unit; `isLarge`: as the main content of a page, with their times. */
export function UnitValues({
  unit,
  targets,
  jobs,
  isLarge = false,
}: {
  readonly isLarge?: boolean;
  readonly unit: string;
  /** The jobs of the unit in the experiment; undefined: not known yet. */
  readonly jobs: readonly LiveJob[] | undefined;
  readonly targets: Readonly<Record<string, Json | undefined>>;
}) {
  const latest = useReadingsOf(unit);
  const knownAt = useKnownAt(useStatusOfUnit(unit));
  return (
    <dl className={styles.values} data-large={isLarge || undefined}>
      {kinds.map((kind) => (
        <Value
          key={kind.source}
          kind={kind}
          readings={latest}
          target={targets[kind.source]}
          jobs={jobs}
          knownAt={knownAt}
          hasTime={isLarge}
        />
      ))}
    </dl>
  );
}

/** How old the newest reading of a unit is. */
export function DataAge({ unit }: { readonly unit: string }) {
  const latest = useReadingsOf(unit);
  const nowMs = useLeaderNow();
  const newestMs = Math.max(...[...latest.values()].map(({ xMs }) => xMs));
  const connection = useConnection();
  const age = useTicking((deviceMs) => {
    if (latest.size === 0) return commonWords.noDataYet;
    if (isInFuture(newestMs, nowMs())) return unitsWords.dataHaveTimeInFuture;
    // No data are newer than the last response of the leader, even when clocks differ.
    const ageMs = Math.max(nowMs() - newestMs, dataAgeMs(connection, deviceMs) ?? 0);
    return commonWords.dataOld(roughSpanText(ageMs));
  });
  return <span className={styles.age}>{age}</span>;
}
